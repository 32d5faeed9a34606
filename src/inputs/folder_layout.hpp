// Folders of labels and masks beside folders of pictures: x/labels/y beside x/images/y. Case does
// not matter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "src/inputs/file_list.hpp"
#include "src/inputs/listings.hpp"

namespace qturn {

/// Absolute and without "." and ".."; of a folder that ends with '/', or is empty, with '/' at its
/// end.
std::string normal_path(const std::filesystem::path& path);

/// "photos" of "photos/".
std::filesystem::path without_slash(const std::filesystem::path& path);

/// A path relative to the current folder, if it lies below that.
std::filesystem::path from_here(const std::filesystem::path& path);

/// Whether the suffix of a file is one of pictures.
bool is_named_as_picture(const std::filesystem::path& file);

/// What a path below an input is below the output; a folder ends with '/'. Nothing if it lies
/// elsewhere.
std::optional<std::string> key_below_inputs(const std::filesystem::path& path,
                                            const FileList& files);

/// The folders from the input to this one. None of a list that is turned in place where its names
/// do not lead down from here: all that is known of it is where its pictures lie.
std::filesystem::path folders_below_input(const FileList::Folder& folder);

/// "images/train/" of "/data/images/train/": from the last folder of this name on, which is in
/// lower case. Empty if there is none.
std::string tail_from(const std::string& folder, std::string_view name);

/// A folder that lies to one of pictures as x/labels/y to x/images/y.
struct SiblingFolder {
  std::string name;  ///< "labels", as it is written there
  std::string path;
  std::optional<std::string> key;  ///< nothing if images is not below the input
  std::ptrdiff_t depth;            ///< of y
};

/// `from`: "images", the last folder of this name counts; `to`: "labels", or a path. Nothing if
/// there is none.
std::optional<SiblingFolder> find_sibling(Listings& listings, const FileList::Folder& pictures,
                                          std::string_view from, std::string_view to);

// Folders whose names say what lies in them.

/// What folders are called, in lower case, that hold labels or masks and nothing else. Pascal VOC,
/// COCO, Cityscapes and their followers use these names.
inline constexpr std::string_view label_folder_names[] = {
    "masks",        "mask",        "segmentation",      "segmentations",
    "labels",       "label",       "segmentationclass", "segmentationobject",
    "ground_truth", "groundtruth", "ground-truth",      "annotations",
    "annotation",   "gtfine",      "gtcoarse"};

/// Whether a folder is called so, or its name ends so: masks, Annotations, train_masks.
bool is_label_folder(const std::filesystem::path& folder);

/// Whether pictures lie there whose labels lie beside it: images, JPEGImages, leftImg8bit.
bool is_image_folder(const std::filesystem::path& folder);

/// The folder whose pictures a label file of many describes, if it does not say it otherwise: that
/// in which it lies, or the one above annotations.
std::filesystem::path described_folder(const std::filesystem::path& label_file);

/// All paths are absolute and normal.
class LabelPlaces {
 public:
  /// Adds the folder of pictures, those above it up to the parent of the input, and the parents of
  /// folders that are called images.
  void add(const FileList::Folder& pictures);

  /// All but the parents of inputs.
  const std::set<std::filesystem::path>& folders() const { return folders_; }
  /// The parents of inputs, where other data sets may lie, with the names of the inputs in lower
  /// case. Some may be among folders(), too.
  const std::map<std::filesystem::path, std::set<std::string>>& parents() const { return parents_; }
  std::set<std::filesystem::path> all() const;
  /// Whether a file lies beside an input alone: in its parent, or in a folder annotations there.
  bool is_next_to_input(const std::filesystem::path& file) const;

 private:
  std::set<std::filesystem::path> folders_;
  std::map<std::filesystem::path, std::set<std::string>> parents_;
};

/// Whether the name of a folder says that it holds labels or masks, and not of which pictures:
/// labels, annotations, ann, masks.
bool may_be_labels_of_any(const std::string& folder);

/// Whether a folder of labels or masks belongs by its name to one of pictures beside it: those of
/// any to all, label_2 to image_2, train_labels to train, and not dogs_labels to cats.
bool are_labels_of(const std::string& folder, const std::string& pictures);

/// Whether a label or a mask belongs to one of these pictures by their stems, in lower case: "a",
/// "a_mask", "a_gtFine_polygons" to "a".
bool belongs_to_any(const std::string& stem, const std::set<std::string>& pictures);

}  // namespace qturn
