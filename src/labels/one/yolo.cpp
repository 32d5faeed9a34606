#include "src/labels/one/yolo.hpp"

#include "src/labels/one/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "src/labels/geometry.hpp"
#include "src/labels/one/label_turns.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::size_t box_columns = 5;  // the class is one of them

class YoloTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems.
  YoloTurn(std::string_view text, Orientation orientation,
           const std::optional<Keypoints>& keypoints, const ClassSwap& swap,
           LabelContent* content = nullptr)
      : text_(text),
        turn_{orientation, 1, 1},
        keypoints_(keypoints),
        swap_(swap),
        content_(content) {}

  std::string turn() {
    if (!(keypoints_ && keypoints_->count > 0)) {
      for_each_line_of_words(text_.all(), [&](const Words& words) {
        has_polygons_ = words.size() > box_columns + 1;
        return !has_polygons_;
      });
    }
    return turned_lines(text_, content_, [&](const Words& words) {
      turn_class(words[0]);
      turn_object(words);
    });
  }

 private:
  void turn_class(std::string_view word) {
    const auto number = number_of(text_, word).whole();
    if (swap_.empty() || !number) return;
    if (const auto* other = class_after(swap_, std::to_string(*number), turn_.orientation))
      text_.replace(word, *other);
  }

  void add_shape(const Words& words, ShapeKind kind, std::vector<ShapePoint> points) {
    if (!content_) return;
    content_->shapes.push_back({.kind = kind,
                                .place = text_.place_of(words[0]),
                                .category = std::string(words[0]),
                                .points = std::move(points)});
  }

  void turn_object(const Words& words) {
    if (words.size() < box_columns) {
      text_.fail(words.back(), fmt::format("the line ends after {} of {} columns: class, x, y, "
                                           "width, height",
                                           words.size(), box_columns));
    }
    if (keypoints_ && keypoints_->count > 0) return turn_keypoints(words);
    if (!has_polygons_) return turn_box(words);
    if (!keypoints_) {
      text_.fail(words[0],
                 "more than 6 columns can be a polygon or a box with keypoints, and the data set "
                 "has no YAML file that says which",
                 {Hint::say_keypoints});
    }
    if (words.size() <= box_columns + 1) return turn_box(words);  // two points are not a polygon
    // A confidence makes the number of columns even.
    std::vector<ShapePoint> points;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2)
      points.push_back(turn_point(words[i], words[i + 1], words[i], words[i + 1]));
    if (words.size() % 2 == 0) number_of(text_, words.back());
    add_shape(words, ShapeKind::polygon, std::move(points));
  }

  void turn_box(const Words& words) {
    const ShapePoint centre = turn_point(words[1], words[2], words[1], words[2]);
    const LabelPoint extent = {coordinate(words[3]), coordinate(words[4])};
    put(text_, turned_extent(extent, turn_), words[3], words[4]);
    if (words.size() > box_columns) expect_confidence(words[box_columns]);
    const double x = extent.x.value() / 2, y = extent.y.value() / 2;
    add_shape(words, ShapeKind::box, {{centre.x - x, centre.y - y}, {centre.x + x, centre.y + y}});
  }

  void turn_keypoints(const Words& words) {
    const auto count = static_cast<std::size_t>(keypoints_->count);
    const auto values = static_cast<std::size_t>(keypoints_->values);
    const std::size_t columns = box_columns + count * values;
    if (words.size() != columns && words.size() != columns + 1) {
      text_.fail(words[0], fmt::format("{} columns; a box with {} keypoints of {} values has {}",
                                       words.size(), count, values, columns));
    }
    const bool is_mirror = mirrors(turn_.orientation);
    if (is_mirror && keypoints_->flip.empty()) {
      text_.fail(words[0],
                 "in a mirror left and right keypoints change places, and the data set's YAML file "
                 "has no flip_idx that says which",
                 {Hint::say_swapped_keypoints});
    }
    turn_box({words.begin(), words.begin() + box_columns});
    std::vector<ShapePoint> points;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t from = is_mirror ? static_cast<std::size_t>(keypoints_->flip[i]) : i;
      const auto here = words.begin() + static_cast<std::ptrdiff_t>(box_columns + i * values);
      const auto there = words.begin() + static_cast<std::ptrdiff_t>(box_columns + from * values);
      if (values == 2) {
        points.push_back(turn_point(there[0], there[1], here[0], here[1]));
        continue;
      }
      const bool is_absent = number_of(text_, there[0]).is_zero() &&
                             number_of(text_, there[1]).is_zero() &&
                             number_of(text_, there[2]).is_zero();
      if (is_absent) {
        text_.replace(here[0], std::string(there[0]));
        text_.replace(here[1], std::string(there[1]));
      } else {
        points.push_back(turn_point(there[0], there[1], here[0], here[1]));
      }
      text_.replace(here[2], std::string(there[2]));
    }
    if (words.size() > columns) number_of(text_, words[columns]);
    add_shape(words, ShapeKind::points, std::move(points));
  }

  /// Other programs write an angle there.
  void expect_confidence(std::string_view word) const {
    const Decimal number = number_of(text_, word);
    if (number.is_negative() || number.mirrored(1).is_negative()) {
      text_.fail(word, fmt::format("{} is not a confidence from 0 to 1; if it is an angle, write "
                                   "the four corners of the box instead, as Ultralytics does",
                                   word));
    }
  }

  /// Puts the turned point x, y in the place of another. Returns it as it was.
  ShapePoint turn_point(std::string_view x, std::string_view y, std::string_view at_x,
                        std::string_view at_y) {
    const LabelPoint point = {coordinate(x), coordinate(y)};
    put(text_, turned(point, turn_), at_x, at_y);
    return drawn(point);
  }

  Decimal coordinate(std::string_view word) const {
    Decimal found = number_of(text_, word);
    // As far as Ultralytics takes it. Of shapes that are only read, check_shapes() tells it.
    constexpr double beside = 0.01;
    if (!content_ && (found.value() < -beside || found.value() > 1 + beside))
      text_.fail(word, fmt::format("{} lies outside of -0.01 to 1.01", word));
    return found;
  }

  LabelText text_;
  CoordinateTurn turn_;
  const std::optional<Keypoints>& keypoints_;
  const ClassSwap& swap_;
  LabelContent* content_;
  bool has_polygons_ = false;
};

std::string turn_yolo_label(std::string_view text, const LabelTurn& turn) {
  return YoloTurn(text, turn.orientation, turn.rule.keypoints, turn.rule.swap).turn();
}

}  // namespace

std::optional<Keypoints> parse_keypoints(std::string_view text) {
  Keypoints keypoints;
  if (text == "none") return keypoints;
  const char* end = text.data() + text.size();
  const auto count = std::from_chars(text.data(), end, keypoints.count);
  const bool is_shape = count.ec == std::errc() && end - count.ptr == 2 && *count.ptr == 'x' &&
                        keypoints.count > 0 && keypoints.count <= 10'000;
  keypoints.values = is_shape ? count.ptr[1] - '0' : 0;
  if (keypoints.values != 2 && keypoints.values != 3) return std::nullopt;
  return keypoints;
}

bool is_yolo(std::string_view text) {
  Words words;
  for_each_line_of_words(text, [&](const Words& first) {
    words = first;
    return false;
  });
  if (words.empty()) return true;
  const auto numbers = std::ranges::count_if(
      words, [](const auto& word) { return Decimal::parse(word).has_value(); });
  return Decimal::parse(words.front()) && 2 * static_cast<std::size_t>(numbers) > words.size();
}

std::string turn_yolo(std::string_view text, Orientation orientation,
                      const std::optional<Keypoints>& keypoints, const ClassSwap& swap) {
  return YoloTurn(text, orientation, keypoints, swap).turn();
}

LabelContent read_yolo(std::string_view text, const std::optional<Keypoints>& keypoints) {
  LabelContent content{.is_normalised = true};
  YoloTurn(text, Orientation::identity, keypoints, no_classes, &content).turn();
  return content;
}

const LabelFormat yolo_format = {.option = "yolo",
                                 .name = "YOLO",
                                 .suffix = ".txt",
                                 .pictures = "images",
                                 .labels = "labels",
                                 .is_of = is_yolo,
                                 .turn = turn_yolo_label,
                                 .read = read_yolo};

}  // namespace qturn
