// An original that is kept under another name before its result replaces it.
#pragma once

#include <filesystem>
#include <utility>

#include "src/files/real_places.hpp"

namespace qturn {

/// Where the original of a picture with this key is kept. Throws FileError if that is outside of
/// `backup`.
std::filesystem::path backup_place(const std::filesystem::path& backup,
                                   const std::filesystem::path& key);

/// Where the original of a companion is kept. It has the same place relative to the backup of its
/// picture as the companion to the picture.
std::filesystem::path backup_place(const std::filesystem::path& backup,
                                   const std::filesystem::path& key,
                                   const std::filesystem::path& picture,
                                   const std::filesystem::path& companion);

/// Whether originals of this one's file system need no room in the folder. Leaves nothing there.
bool takes_no_room(const std::filesystem::path& original, const std::filesystem::path& folder);

class Backup {
 public:
  /// Gives `original` a second name (a hard link), or copies it to where that is not possible: as a
  /// reflink, which shares its blocks, or its bytes.
  /// What an interrupted run has kept there already is enough. Throws FileError if another file is
  /// there. `flushed`: blocks until the name is on the disk, and those of the folders from `run` to
  /// it, which another thread may just have made. `places`: as of NewFile.
  Backup(const std::filesystem::path& original, std::filesystem::path place,
         const std::filesystem::path& run, bool flushed, const RealPlaces* places);
  /// Removes it unless the original was replaced.
  ~Backup();
  Backup(Backup&& other) noexcept : made_(std::exchange(other.made_, {})) {}
  Backup& operator=(Backup&&) = delete;

  void keep() { made_.clear(); }

 private:
  std::filesystem::path made_;
};

}  // namespace qturn
