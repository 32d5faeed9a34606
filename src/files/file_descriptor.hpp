// An open file descriptor, closed by its owner's destructor, and all bytes written to one.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
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

}  // namespace qturn
