// What the turns of labels of one picture share: of JSON its size, points and masks that are
// PNGs; of text an object on each line.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/geometry.hpp"
#include "src/labels/label_shapes.hpp"
#include "src/labels/one/label.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

class JsonLabelTurn {
 protected:
  using Bytes = std::vector<std::byte>;

  /// `content`: null, or what receives the shapes as they are before the turn, and problems. Then
  /// the size is not compared.
  JsonLabelTurn(std::string_view text, const LabelTurn& turn, LabelContent* content)
      : edits_(text),
        content_(content),
        turn_(turn),
        edges_{turn.orientation, turn.size.width, turn.size.height},
        pixels_{turn.orientation, turn.size.width - 1, turn.size.height - 1} {}

  /// Throws LabelError if the picture has others.
  void turn_size(const JsonValue& width, const JsonValue& height);

  /// A shape that cannot be turned is a problem when reading, and is thrown otherwise.
  template <typename Work>
  void attempt(Work work) {
    qturn::attempt(content_, work);
  }

  static LabelPoint point_in(const JsonValue& point);
  /// Turns an array of points, and returns them as they were. Those that count pixels are returned
  /// as their middles.
  std::vector<ShapePoint> turn_points(const JsonValue& points, bool count_pixels);
  void put(const LabelPoint& point, const JsonValue& at) { put(point, *at.begin(), *++at.begin()); }
  void put(const LabelPoint& point, const JsonValue& x, const JsonValue& y) {
    qturn::put(edits_, point, x.text(), y.text());
  }

  static bool is_png(const Bytes& bytes);
  /// Throws LabelError if a mask cannot be read, or has an orientation tag.
  static Size size_of(const Bytes& png, const JsonValue& mask);
  Bytes turned_png(const Bytes& png, const JsonValue& mask) const;

  /// `category`: the name of the member that says it.
  void add(LabelShape shape, const JsonValue& of, std::string_view category);

  LabelText edits_;
  LabelContent* const content_;
  const LabelTurn& turn_;
  const CoordinateTurn edges_;   ///< of coordinates from 0 to the width and the height
  const CoordinateTurn pixels_;  ///< of the numbers of pixels, from 0
};

/// `Turn`: a class whose turn(root) returns the text.
template <typename Turn>
ParsedLabel parse_json_label(std::string_view text) {
  return [text, json = std::make_shared<const JsonText>(text)](const LabelTurn& turn) {
    return Turn(text, turn, nullptr).turn(json->root());
  };
}

template <typename Turn>
LabelContent read_json_label(std::string_view text) {
  LabelContent content;
  attempt(&content, [&] {
    const LabelTurn as_it_is = {.name = ""};
    Turn(text, as_it_is, &content).turn(JsonText(text).root());
  });
  return content;
}

// Labels with an object on each line.

/// Calls `turn_object` with the words of each line, and returns the text with what it replaces.
/// `content`: null, or what receives the lines that cannot be turned; then nothing is returned.
///
/// A line at a time: of a label of 38 MB, all words and edits at once took 641 MiB.
template <typename TurnObject>
std::string turned_lines(LabelText& text, LabelContent* content, TurnObject turn_object) {
  std::string turned;
  for_each_line_of_words(text.all(), [&](const Words& words) {
    attempt(content, [&] { turn_object(words); });
    if (!content) text.add_up_to(words.back(), turned);
    return true;
  });
  if (!content) text.add_up_to(text.all(), turned);
  return turned;
}

}  // namespace qturn
