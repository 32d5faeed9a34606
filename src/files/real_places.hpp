// Where results really go. When a run is planned, links in the names of folders and in the places
// of results are followed. A link that appears later is not followed: every folder on the way is
// opened from the folder above it, and must be a folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "src/files/file_descriptor.hpp"

namespace qturn {

class RealPlaces {
 public:
  /// Adds a folder. If it or a folder above is missing, it will be made.
  void add_folder(const std::filesystem::path& folder);
  /// If there is a link in the place of this file, the link's target is written instead.
  void add_file(const std::filesystem::path& file);

  /// The real path of `target`. Nothing if it does not lie in one of the folders or below.
  std::optional<std::filesystem::path> of(const std::filesystem::path& target) const;

 private:
  std::map<std::string, std::filesystem::path> folders_, links_;  // by absolute, normal paths
};

/// Opens a folder whose absolute path has no links, and makes missing folders on the way. If
/// `flushed`, the names of new folders are on the disk. None, with errno set, if that fails:
/// ENOTDIR if there is a link.
FileDescriptor open_real_folder(const std::filesystem::path& folder, bool flushed);

}  // namespace qturn
