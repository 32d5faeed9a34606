// KITTI labels: a text file for each picture, a line for each object:
//
//   type truncated occluded alpha left top right bottom height width length x y z rotation_y
//   [score]
//
// left to bottom are a box by the numbers of its first and last pixels, from 0: boxes at the edges
// of a picture of 1242 x 375 end at 1241 and 374. What follows them, and alpha, is where the object
// is in front of the camera. A turned picture is not one of that camera, so a label with such
// values is refused.
#include "src/labels/one/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "src/labels/geometry.hpp"
#include "src/labels/one/label_turns.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::size_t box_column = 4, fewest_columns = 15, most_columns = 16;

/// What stands where a value is not known.
constexpr std::pair<std::size_t, int> unknown_values[] = {
    {3, -10}, {8, -1}, {9, -1}, {10, -1}, {11, -1000}, {12, -1000}, {13, -1000}, {14, -10}};

bool is_object(const Words& words) {
  return words.size() >= fewest_columns && words.size() <= most_columns && !is_number(words[0]) &&
         std::ranges::all_of(std::span(words).subspan(1), is_number);
}

bool is_blank(std::string_view word, int blank) {
  const auto number = Decimal::parse(word);
  return number && number->value() == blank;
}

/// Programs for boxes alone, such as NVIDIA's, write 0 for all of these.
bool is_flat(const Words& words) {
  const auto are = [&](auto value_of) {
    return std::ranges::all_of(unknown_values, [&](const auto& each) {
      return is_blank(words[each.first], value_of(each.second));
    });
  };
  return are([](int blank) { return blank; }) || are([](int) { return 0; });
}

template <typename IsRight>
bool all_objects(std::string_view text, IsRight is_right) {
  bool found = false, are_right = true;
  for_each_line_of_words(text, [&](const Words& words) {
    found = true;
    are_right = is_object(words) && is_right(words);
    return are_right;
  });
  return found && are_right;
}

class KittiTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems.
  KittiTurn(std::string_view text, const LabelTurn& turn, LabelContent* content)
      : text_(text),
        turn_{turn.orientation, turn.size.width - 1, turn.size.height - 1},
        content_(content) {}

  std::string turn() {
    return turned_lines(text_, content_, [&](const Words& words) { turn_object(words); });
  }

 private:
  void turn_object(const Words& words) {
    if (words.size() < fewest_columns || words.size() > most_columns)
      text_.fail(words[0], fmt::format("{} columns; an object has {}, or {} with a score",
                                       words.size(), fewest_columns, most_columns));
    for (std::size_t i = 1; i < words.size(); ++i) (void)number_of(text_, words[i]);
    const auto box = std::span(words).subspan(box_column);
    const LabelCorners read = {{number_of(text_, box[0]), number_of(text_, box[1])},
                               {number_of(text_, box[2]), number_of(text_, box[3])}};
    const LabelCorners now = turned(read, turn_);
    const Decimal* const numbers[] = {&now.first.x, &now.first.y, &now.last.x, &now.last.y};
    for (std::size_t i = 0; i < std::size(numbers); ++i) text_.replace(box[i], numbers[i]->text());
    if (content_) {
      content_->shapes.push_back({.kind = ShapeKind::box,
                                  .place = text_.place_of(words[0]),
                                  .category = std::string(words[0]),
                                  .points = {{read.first.x.value(), read.first.y.value()},
                                             {read.last.x.value() + 1, read.last.y.value() + 1}}});
    } else if (turn_.orientation != Orientation::identity && !is_flat(words)) {
      refuse_depth(words);
    }
  }

  void refuse_depth(const Words& words) {
    for (const auto& [column, unknown] : unknown_values)
      if (!is_blank(words[column], unknown))
        text_.fail(
            words[column],
            "says where an object is in front of the camera, which a turned picture is not of");
  }

  LabelText text_;
  CoordinateTurn turn_;
  LabelContent* content_;
};

bool is_flat_kitti(std::string_view text) { return all_objects(text, is_flat); }

std::string turn_kitti(std::string_view text, const LabelTurn& turn) {
  return KittiTurn(text, turn, nullptr).turn();
}

LabelContent read_kitti(std::string_view text, const std::optional<Keypoints>&) {
  LabelContent content;
  KittiTurn(text, {.name = ""}, &content).turn();
  return content;
}

}  // namespace

bool is_any_kitti(std::string_view text) {
  return all_objects(text, [](const Words&) { return true; });
}

const LabelFormat kitti_format = {.option = "kitti",
                                  .name = "KITTI",
                                  .suffix = ".txt",
                                  .pictures = "image_2",
                                  .labels = "label_2",
                                  .is_of = is_flat_kitti,
                                  .turn = turn_kitti,
                                  .read = read_kitti,
                                  .untrue_after_turn = "calib",
                                  .lies_apart = true};

}  // namespace qturn
