// Which file it is, and what changes when another program writes to it.
#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace qturn {

/// The time of its inode (ctime) would tell of edits that put the other time back, but it also
/// changes with an attribute or with the number of hard links, which `--break-links` lowers itself.
struct FileState {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileState&) const = default;
};

inline FileState state_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace qturn
