// Where results really go. When a run is planned, the links in the names of folders are followed,
// and those in the places of results. A link that appears later leads nowhere: every folder on the
// way is opened from the one before it, and must be a folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "src/files/file_descriptor.hpp"

namespace qturn {

class RealPlaces {
 public:
  /// A folder that is there, or what is missing of it will be made.
  void add_folder(const std::filesystem::path& folder);
  /// If a link is in the place of this file, what it leads to is written instead.
  void add_file(const std::filesystem::path& file);

  /// Nothing if it does not lie in one of the folders or below.
  std::optional<std::filesystem::path> of(const std::filesystem::path& target) const;

 private:
  std::map<std::string, std::filesystem::path> folders_, links_;  // by absolute, normal paths
};

/// Opens a folder whose absolute path has no links, and makes what is missing of it. If `flushed`,
/// the names of new folders are on the disk. None, with errno set, if that fails: ENOTDIR if there
/// is a link.
FileDescriptor open_real_folder(const std::filesystem::path& folder, bool flushed);

}  // namespace qturn
