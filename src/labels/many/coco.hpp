// The elements of a COCO file, each turned by itself. coco_file.hpp is about the whole file.
//
//   images       {"id", "width", "height", "file_name", ...}
//   annotations  {"id", "image_id", "category_id", "bbox", "segmentation", "keypoints", ...}
//   categories   {"id", "keypoints", ...}
//
// Panoptic annotations are about a PNG whose pixels are ids of segments, which is turned as a mask:
//
//   annotations  {"image_id", "file_name", "segments_info": [{"id", "category_id", "bbox", ...}]}
//
// A bbox is x, y, width, height; as NVIDIA's ODTK has it, also an angle in radians by which the box
// is turned around its middle; or, as Detectron2 has it, the x and y of the middle, width, height,
// and an angle in degrees. Both angles count counter-clockwise. Which one it is, its segmentation
// tells, or "bbox_mode", or an angle that is too large for radians. Numbers of boxes and of
// polygons are continuous, from 0 to the width. Keypoints are x, y, visibility; they name pixels,
// from 0 to the width minus 1. All other members stay as they are, an area too, but for the angle
// of the box in CVAT's exports
// ("attributes": {"rotation": 30.0}).
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/label_shapes.hpp"
#include "src/labels/labelled_images.hpp"
#include "src/labels/run_lengths.hpp"
#include "src/labels/text/json_text.hpp"

namespace qturn {

/// The keypoints of a category's objects.
struct CocoKeypoints {
  std::vector<std::size_t> flip = {};  ///< the keypoint that takes the place of each in a mirror
  std::string problem = {};            ///< why `flip` is not known; or empty
};
/// The keypoints of each category, by its id, as id_in() gives it. So are all ids here.
using CocoCategories = std::map<std::string, CocoKeypoints>;

/// Adds a category, if its objects have keypoints: those whose names differ in left and right
/// change places. Returns its name; or an empty one. Throws LabelError.
std::string add_coco_category(std::string_view text, TextPlace place, CocoCategories& categories);

/// Why such keypoints cannot be mirrored; empty if they can.
std::string why_not_mirrored(const CocoCategories& categories, const std::string& category,
                             std::size_t keypoints);

/// The text must outlive it. All members throw LabelError.
class CocoImage {
 public:
  CocoImage(std::string_view text, TextPlace place);

  const std::string& id() const { return id_; }
  Size size() const { return size_; }
  const std::string& file_name() const { return file_name_; }

  /// Throws for what a turn leaves wrong, such as the matrix of a camera.
  void check() const;

  /// The variant's name takes the place of the last part of file_name. The new id is 8 x old + the
  /// number of the variant - 1 if there is one, in annotations too.
  std::string turned(const LabelledVariant& variant) const;

 private:
  std::string_view text_;
  JsonText json_;
  std::string id_;
  Size size_;
  std::string file_name_;
};

/// The text must outlive it. All members throw LabelError.
class CocoAnnotation {
 public:
  CocoAnnotation(std::string_view text, TextPlace place);

  const std::optional<std::string>& id() const { return id_; }
  const std::string& image() const { return image_; }

  /// Reads the shapes. Must be called before the rest. Throws if the annotation cannot be turned.
  void read_shapes();

  /// The size that a mask says it has.
  const std::optional<Size>& mask_size() const { return mask_size_; }
  const std::string& category() const { return category_; }
  std::size_t keypoints() const { return keypoints_.size() / 3; }

  /// The name of a category, or its number.
  using CategoryName = std::function<std::string(const std::optional<std::string>& id)>;
  /// The shapes as they are written. Is called after read_shapes().
  std::vector<LabelShape> shapes(TextPlace place, const CategoryName& name_of) const;
  /// The id of the category, if the annotation has one.
  std::optional<std::string> category_id() const { return category_of(json_.root()); }
  /// The file_name of a panoptic annotation; or empty.
  std::string mask_name() const { return mask_name_ ? mask_name_->string() : ""; }

  /// `image_name`, `size`: the image's before the turn. Throws if a mask has another size, or if
  /// keypoints cannot be mirrored. `swap`: ids of categories.
  std::string turned(const LabelledVariant& variant, const std::string& image_name, Size size,
                     const CocoCategories& categories, const ClassSwap& swap = no_classes) const;

 private:
  static std::optional<std::string> category_of(JsonValue object);
  void add_box(JsonValue box, std::optional<std::string> category);
  bool is_middle(JsonValue box, const std::vector<JsonValue>& numbers) const;
  void read_mask(JsonValue segmentation);
  void turn_keypoints(LabelText& edits, Orientation orientation, Size size,
                      const CocoCategories& categories) const;
  void turn_mask(LabelText& edits, Orientation orientation, Size size) const;

  std::string_view text_;
  JsonText json_;
  std::optional<std::string> id_;
  std::string image_, category_;
  struct Box {
    std::vector<JsonValue> numbers;  // four or five
    std::optional<std::string> category;
    bool by_middle = false;  // Detectron2's five
  };
  std::vector<Box> boxes_;
  std::vector<JsonValue> points_, keypoints_;  // numbers
  std::optional<JsonValue> counts_, rotation_, mask_name_;
  std::vector<JsonValue> mask_sides_;  // height, width
  RunLengths runs_;
  std::optional<Size> mask_size_;
};

}  // namespace qturn
