// An open file: its descriptor, which file it is, and its bytes, written or read part by part.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

namespace qturn {

class FileDescriptor {
 public:
  /// Takes the result of open(); a negative number means none.
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

  /// The result of close(), where network file systems report that the disk is full.
  int close() { return fd_ < 0 ? 0 : ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

/// False, with errno set, if not all of it could be written.
inline bool write_all(int fd, std::span<const std::byte> content) {
  while (!content.empty()) {
    // write() takes at most 2 GiB at once, and returns early where it likes.
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// Which file it is, and what changes when another program writes to it.

/// The inode's time (ctime) would show edits that put the other time back. But it also changes with
/// an attribute or with the number of hard links, which `--break-links` lowers itself.
struct FileState {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t modified_ns = 0;
  bool operator==(const FileState&) const = default;
};

inline FileState state_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
}

// Reads a file in parts, because it may be too large for the memory.

/// Hands over the bytes of a regular file in their order, as long as `take` returns true. Returns
/// the state of the file before the first byte was read. Throws FileError.
FileState read_in_parts(const std::filesystem::path& file,
                        const std::function<bool(std::span<const std::byte> part)>& take,
                        std::size_t part_bytes = std::size_t{1} << 20);

/// The same for the whole file, as text.
FileState read_text_in_parts(const std::filesystem::path& file,
                             const std::function<void(std::string_view part)>& take);

}  // namespace qturn
