// The formats of label files of many pictures. labels/one has the formats of a file per picture.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/labels/label_shapes.hpp"
#include "src/labels/labelled_images.hpp"

namespace qturn {

/// Takes a file part by part. All throw LabelError for what concerns more than one image.
class SharedLabelReader {
 public:
  virtual ~SharedLabelReader() = default;
  virtual void take(std::string_view part) = 0;
  /// Is called after the last part.
  virtual std::unique_ptr<LabelledImages> finish() = 0;
};

/// Takes the same file again, and gives the new one. All throw LabelError.
class SharedLabelWriter {
 public:
  virtual ~SharedLabelWriter() = default;
  virtual void take(std::string_view part) = 0;
  /// Is called after the last part.
  virtual void finish() = 0;
};

/// Is told what a file says about an image, by its index, part by part.
using TellLabelContent = std::function<void(std::size_t image, LabelContent content)>;

struct SharedLabelFormat {
  std::string_view option, name, suffix;
  bool has_keypoints;          ///< that can be paired
  bool names_may_lack_suffix;  ///< a picture may be called by its stem
  bool says_file_sizes;        ///< of pictures, in bytes
  /// `pairs`: what changes places in a mirror.
  std::unique_ptr<SharedLabelReader> (*reader)(const SwapPairs& pairs);
  /// `images` come from the reader of this format, and must outlive the writer.
  std::unique_ptr<SharedLabelWriter> (*writer)(const LabelledImages& images, VariantsOf variants_of,
                                               AppendText append);
  /// Takes the same file again, to check it or to draw it. Null for COCO, which coco_check.hpp
  /// checks.
  std::unique_ptr<SharedLabelWriter> (*shapes)(const LabelledImages& images, TellLabelContent tell);
  /// A function that takes a file part by part until it tells whether the file is of this format.
  std::function<std::optional<bool>(std::string_view part)> (*recogniser)();
  /// A file with this name is of the format even if it holds no coordinates.
  std::string_view plain_name = {};
  /// Only files called `plain_name` are of it, and only where the user names it, without a file.
  bool is_named_only = false;
};

extern const std::span<const SharedLabelFormat> shared_label_formats;

}  // namespace qturn
