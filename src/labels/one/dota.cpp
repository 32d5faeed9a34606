// DOTA labels: a text file for each picture, a line for each object, with the corners of a turned
// box in pixels, clockwise, its category and its difficulty:
//
//   imagesource:GoogleEarth
//   gsd:0.146343
//   x1 y1 x2 y2 x3 y3 x4 y4 category difficulty
//
// Lines before the first object say something of the picture and stay. In a mirror the corners
// change places, the first with the second and the third with the fourth, so that they stay
// clockwise and the first edge stays the first.
#include "src/labels/one/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/labels/geometry.hpp"
#include "src/labels/one/label_turns.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::size_t corner_columns = 8, object_columns = 10;

class DotaTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems.
  DotaTurn(std::string_view text, const LabelTurn& turn, LabelContent* content = nullptr)
      : text_(text),
        turn_{turn.orientation, turn.size.width, turn.size.height},
        swap_(turn.rule.swap),
        content_(content) {}

  std::string turn() {
    bool has_object = false;
    return turned_lines(text_, content_, [&](const Words& words) {
      has_object = has_object || is_number(words[0]);
      if (has_object) turn_object(words);
    });
  }

 private:
  void turn_object(const Words& words) {
    if (words.size() != object_columns) {
      text_.fail(words[0],
                 fmt::format("{} columns; an object has {}: the x and y of 4 corners, category, "
                             "difficulty",
                             words.size(), object_columns));
    }
    if (const auto* other = class_after(swap_, words[corner_columns], turn_.orientation))
      text_.replace(words[corner_columns], *other);
    LabelShape shape{.kind = ShapeKind::polygon,
                     .place = text_.place_of(words[0]),
                     .category = std::string(words[corner_columns])};
    for (std::size_t corner = 0; corner < corner_columns / 2; ++corner) {
      // 1, 0, 3, 2
      const std::size_t from = mirrors(turn_.orientation) ? corner ^ 1U : corner;
      const LabelPoint point = {number_of(text_, words[2 * from]),
                                number_of(text_, words[2 * from + 1])};
      put(text_, turned(point, turn_), words[2 * corner], words[2 * corner + 1]);
      shape.points.push_back(drawn(point));
    }
    if (content_) content_->shapes.push_back(std::move(shape));
  }

  LabelText text_;
  CoordinateTurn turn_;
  const ClassSwap& swap_;
  LabelContent* content_;
};

bool is_dota(std::string_view text) {
  bool found = false;
  for_each_line_of_words(text, [&](const Words& words) {
    found = words.size() > corner_columns &&
            std::ranges::all_of(std::span(words).first(corner_columns), is_number) &&
            !is_number(words[corner_columns]);
    return !found;
  });
  return found;
}

std::string turn_dota(std::string_view text, const LabelTurn& turn) {
  return DotaTurn(text, turn).turn();
}

LabelContent read_dota(std::string_view text, const std::optional<Keypoints>&) {
  LabelContent content;
  DotaTurn(text, {.name = ""}, &content).turn();
  return content;
}

}  // namespace

const LabelFormat dota_format = {.option = "dota",
                                 .name = "DOTA",
                                 .suffix = ".txt",
                                 .pictures = "images",
                                 .labels = "labeltxt",
                                 .is_of = is_dota,
                                 .turn = turn_dota,
                                 .read = read_dota,
                                 .lies_apart = true};

}  // namespace qturn
