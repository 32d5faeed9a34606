// Folders of labels and masks beside folders of pictures: x/labels/y beside x/images/y. Case does
// not matter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "src/inputs/file_list.hpp"
#include "src/inputs/listings.hpp"

namespace qturn {

/// The absolute path, without "." and "..". It ends with '/' if `path` is empty or ends
/// with '/'.
std::string normal_path(const std::filesystem::path& path);

/// "photos" of "photos/".
std::filesystem::path without_slash(const std::filesystem::path& path);

/// A path relative to the current folder, if it lies below that.
std::filesystem::path from_here(const std::filesystem::path& path);

/// Whether a file has the suffix of a picture.
bool is_named_as_picture(const std::filesystem::path& file);

/// The place below the output for a path below an input; a folder's ends with '/'. Nothing if the
/// path is not below an input.
std::optional<std::string> key_below_inputs(const std::filesystem::path& path,
                                            const FileList& files);

/// The folders from the input to this one. Empty for a list that is turned in place if its names do
/// not lead down from here: then only the folders of its pictures are known.
std::filesystem::path folders_below_input(const FileList::Folder& folder);

/// "images/train/" of "/data/images/train/": the part from the last folder of this name on. `name`
/// is in lower case. Empty if there is none.
std::string tail_from(const std::string& folder, std::string_view name);

/// A folder such as x/labels/y for the pictures in x/images/y.
struct SiblingFolder {
  std::string name;  ///< "labels", as it is written there
  std::string path;
  std::optional<std::string> key;  ///< nothing if images is not below the input
  std::ptrdiff_t depth;            ///< of y
};

/// Puts `to` ("labels", or a path) in place of the last folder that is called `from` ("images").
/// Nothing if there is no such folder.
std::optional<SiblingFolder> find_sibling(Listings& listings, const FileList::Folder& pictures,
                                          std::string_view from, std::string_view to);

/// Whether pictures lie in a folder and labels beside it: images, JPEGImages, leftImg8bit.
bool is_image_folder(const std::filesystem::path& folder);

/// The folder of the pictures that a label file of many pictures describes, unless it names another
/// one: the file's own folder, or the folder above if that is called annotations.
std::filesystem::path described_folder(const std::filesystem::path& label_file);

/// Where labels may lie. All paths are absolute and normal.
class LabelPlaces {
 public:
  LabelPlaces() = default;
  /// Adds the folders of all pictures.
  explicit LabelPlaces(const FileList& files);
  /// Adds the folder of pictures, those above it up to the parent of the input, and the parents of
  /// folders that are called images.
  void add(const FileList::Folder& pictures);

  std::set<std::filesystem::path> all() const;
  /// Whether a file lies beside an input alone: in its parent, or in a folder annotations there.
  bool is_next_to_input(const std::filesystem::path& file) const;

 private:
  std::set<std::filesystem::path> folders_;  // all but the parents of inputs
  std::set<std::filesystem::path> parents_;  // of inputs, where other data sets may lie
};

/// Whether a folder of labels or masks belongs by its name to the folder `pictures` beside it:
/// labels to any folder, label_2 to image_2, train_labels to train, but not dogs_labels to cats.
bool are_labels_of(const std::string& folder, const std::string& pictures);

/// Whether a label or a mask belongs to one of these pictures by their stems, in lower case: "a",
/// "a_mask", "a_gtFine_polygons" to "a".
bool belongs_to_any(const std::string& stem, const std::set<std::string>& pictures);

}  // namespace qturn
