// What metadata.jsonl and metadata.csv of Hugging Face's image folders share: boxes in JSON, in
// pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/labels/many/label_element.hpp"
#include "src/labels/text/json_text.hpp"

namespace qturn {

/// What holds boxes: "bbox", "bboxes" or "objects".
bool holds_boxes(std::string_view name);

/// A corner, width and height, as in COCO, or two corners, as in Pascal VOC, but between pixels.
enum class BoxOrder : std::uint8_t { coco, voc };

/// Turns the member of this name. `category`: of each box, or of all. Throws LabelError.
void turn_boxes(ElementTurn& turn, BoxOrder order, std::string_view name, const JsonValue& member,
                const std::optional<JsonValue>& category);

/// Whether boxes are in pixels. A file is refused whose boxes are all fractions, and a picture
/// whose boxes go beyond it: then their numbers mean something else.
class PixelBoxes {
 public:
  void add(LabelledImages::Image& image, const LabelShape& box);
  /// Is called after the last one. Throws LabelError.
  void finish() const;
  /// Whether the last corner of each box, read as x, y, width and height, is one if that is read as
  /// a corner itself.
  bool may_be_corners() const { return are_pixels_ && may_be_corners_; }

 private:
  bool are_pixels_ = false, may_be_corners_ = true;
  std::optional<TextPlace> first_fraction_;
};

}  // namespace qturn
