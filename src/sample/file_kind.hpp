// The one place that decides what a file of a sample is, by its name and its content: a file beside
// a picture, a member of a tar, or a column of a row in Python; and the one place that knows how
// masks are called and where they lie. The callers decide whether such a file is turned, copied or
// refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/one/label.hpp"
#include "src/picture/image.hpp"

namespace qturn {

// The name of a sample. The key of a file is its path below the input or in the tar. There are two
// rules, for two purposes:
//
//   sample_key("x/a.b.jpg")      x/a.b   the last dot: for variants and shards. Two
//                                        photographs, "1.5 m.jpg" and "1.6 m.jpg", are two samples
//   webdataset_key("x/a.b.jpg")  x/a     the first dot: for tars, where
//                                        WebDataset's readers take x/a.b.jpg and x/a.cls for one
//
// They agree unless a stem has a dot. A folder that would be packed into other samples than it has
// is refused (sources/folder_samples.hpp).

/// "x/a" of "x/a.jpg". A dot that begins a name does not begin a suffix.
inline std::string_view sample_key(std::string_view key) {
  const std::size_t base = key.rfind('/') + 1, dot = key.rfind('.');
  return dot == std::string_view::npos || dot <= base ? key : key.substr(0, dot);
}

/// "x/a" of "x/a.mask.png". A dot that begins a name does not end it.
inline std::string_view webdataset_key(std::string_view key) {
  const std::size_t base = key.rfind('/') + 1;
  return key.substr(0, std::min(key.find('.', base + 1), key.size()));
}

enum class FileKind : std::uint8_t {
  picture,
  mask,   ///< a picture with the name of a mask
  array,  ///< NumPy's: a mask of its sample's picture
  xmp,
  label,
  world_file,   ///< says where on a map the pixels lie
  coordinates,  ///< neither turned nor known to be harmless (harmless.hpp)
  other
};

struct KindOfFile {
  FileKind kind = FileKind::other;
  const LabelFormat* format = nullptr;  ///< of a label

  bool is_picture() const { return kind == FileKind::picture || kind == FileKind::mask; }
};

/// A picture is known by its suffix or else by its content. A file with the suffix of labels is a
/// label if it looks like one, or if it is empty.
KindOfFile kind_of_file(const std::filesystem::path& name, std::span<const std::byte> content);

/// Whether the files of any labels have this suffix, in lower case.
bool is_suffix_of_labels(std::string_view lower_suffix);

// Masks: pictures of their own format, with a value for each pixel of a picture. There can be
// several.
//
//   beside the picture       x/a.jpg            x/a_mask.png, also -mask, .mask and a_mask_1
//   beside its folder        images/x/a.jpg     masks/x/a.png, or a_mask.png
//   Pascal VOC               JPEGImages/a.jpg   SegmentationClass/a.png, SegmentationObject/a.png
//   named after its folder   train/a.jpg        train_masks/a_mask.gif
//                            train/a.jpg        annotations/panoptic_train/a.png, of COCO
//   NumPy's arrays           x/a.jpg            x/a.npy, x/a.depth.npy, x/a_depth.npy
//                            images/x/a.jpg     depth/x/a.npy, and as above
//   in its sample            a.x.jpg            a.x_mask.png, a.mask.png; all arrays
//
// Case does not matter.

/// The names, in lower case, of folders that hold labels or masks and nothing else. Pascal VOC,
/// COCO, Cityscapes and their followers use them.
inline constexpr std::string_view label_folder_names[] = {
    "masks",        "mask",        "segmentation",      "segmentations",
    "labels",       "label",       "segmentationclass", "segmentationobject",
    "ground_truth", "groundtruth", "ground-truth",      "annotations",
    "annotation",   "gtfine",      "gtcoarse"};

/// Whether a folder has such a name, or its name ends with one: masks, Annotations, train_masks.
bool is_label_folder(const std::filesystem::path& folder);
/// Whether it is one, or lies below one.
bool is_below_labels(const std::filesystem::path& folder);

/// "a" of "a_mask", "a-mask" or "a_mask_1", in lower case. Nothing if it is not a mask's name.
std::optional<std::string_view> stem_of_mask(std::string_view lower_stem);
bool is_named_as_mask(const std::filesystem::path& file);

/// "a" of "a_depth" or "a_depth_mask", as DIODE calls the arrays beside a.png, in lower case.
std::optional<std::string_view> stem_of_depth_map(std::string_view lower_stem);

/// Where a file lies that may be the mask of a picture.
enum class MaskPlace : std::uint8_t {
  sample,  ///< in the picture's sample, in a tar or a row
  beside,  ///< in the folder of the picture
  apart,   ///< in a folder of masks
  depth    ///< in a folder of depth maps: its arrays alone are masks
};

/// Where masks lie instead of in the folder of their pictures: `to` in the place of the folder
/// `from`. Names in lower case.
struct MaskFolder {
  std::string from, to;
  MaskPlace place;
};
/// `lower_name`: of the folder of the pictures.
std::vector<MaskFolder> mask_folders(const std::string& lower_name);

/// Whether a file in such a place is a mask of this picture by its name. A mask that is named after
/// its sample, a.mask.png, belongs to any picture of it, and so does every array.
bool is_mask_of(const std::filesystem::path& mask, const std::filesystem::path& picture,
                MaskPlace place = MaskPlace::sample);

/// Nothing if a picture cannot be read.
std::optional<Header> header_if_readable(std::span<const std::byte> picture,
                                         std::string_view lower_suffix);

/// Throws ImageFileError for an array that cannot be turned, or that has neither the stored nor the
/// shown size of this picture: it may hold boxes, or features of the whole picture. A picture that
/// cannot be read fails by itself.
void expect_array_of(std::span<const std::byte> array, std::span<const std::byte> picture,
                     std::string_view lower_suffix_of_picture);

}  // namespace qturn
