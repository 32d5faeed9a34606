// Keeps a second run out of a folder that a run writes to.
//
// `.qturn-lock` names who holds it: the host, when it booted, the process and when that started.
// So a lock that a killed run left on this host is known to be stale and taken over. A process of
// another host, or of another container, cannot be looked at: its lock is refused by name, unless
// it is an earlier attempt of the same Slurm job, which has ended when Slurm begins the next.
#ifndef QTURN_SRC_STORE_FOLDER_LOCK_HPP
#define QTURN_SRC_STORE_FOLDER_LOCK_HPP

#include <filesystem>
#include <string_view>

namespace qturn {

inline constexpr std::string_view lock_name = ".qturn-lock";

class FolderLock {
 public:
  /// Throws FileError if another run holds the folder, or if no lock can be written there.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  std::filesystem::path file_;  // empty: moved from
};

}  // namespace qturn

#endif  // QTURN_SRC_STORE_FOLDER_LOCK_HPP
