// Folders of labels and masks beside folders of pictures: x/labels/y beside x/images/y. Case does
// not matter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/plan/file_list.hpp"

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

/// The entries of folders, each folder listed once.
class Listings {
 public:
  struct Entry {
    std::string lower, name;
    bool is_folder;
  };

  /// Lists folders and, of files, only those whose names in lower case `are_of_interest`.
  /// `why_looked` is for messages: "labels".
  Listings(std::function<bool(const std::string&)> are_of_interest, std::string why_looked)
      : are_of_interest_(std::move(are_of_interest)), why_looked_(std::move(why_looked)) {}

  /// Ascending by their names in lower case. Throws PlanError if it exists and cannot be listed.
  const std::vector<Entry>& of(const std::filesystem::path& folder);

  /// The entry with this name, or else with this name in another case. Null if there is none.
  const Entry* find(const std::filesystem::path& folder, const std::string& name, bool is_folder);

 private:
  std::vector<Entry> list(const std::filesystem::path& folder) const;

  std::function<bool(const std::string&)> are_of_interest_;
  std::string why_looked_;
  std::map<std::string, std::vector<Entry>> by_folder_;
};

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
