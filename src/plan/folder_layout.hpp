// Folders of labels and masks beside folders of pictures: x/labels/y beside x/images/y. Case does
// not matter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/plan/file_list.hpp"
#include "src/plan/listings.hpp"

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

}  // namespace qturn
