// Keeps a second run out of a folder that a run writes to.
//
// The lock is the kernel's, on the open file `.qturn-lock` (an open file description lock). It ends
// with the process, however that ends, also if nobody has reaped it, and a network file system
// takes it to its server. The file says who holds the lock, for the message to others. A file that
// a killed run has left holds nothing.
#pragma once

#include <filesystem>
#include <string_view>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

inline constexpr std::string_view lock_name = ".qturn-lock";

class FolderLock {
 public:
  /// Does not wait. Throws FileError if another run holds the folder, or if no lock can be written
  /// there.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&&) noexcept = default;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  std::filesystem::path file_;
  FileDescriptor opened_;  // none: moved from
};

/// Whether a run holds the folder now. The file alone does not say so.
bool is_locked(const std::filesystem::path& folder);

}  // namespace qturn
