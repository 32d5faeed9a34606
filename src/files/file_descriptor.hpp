// An open file of the system, closed when its owner goes.
#ifndef QTURN_SRC_FILES_FILE_DESCRIPTOR_HPP
#define QTURN_SRC_FILES_FILE_DESCRIPTOR_HPP

#include <unistd.h>

#include <utility>

namespace qturn {

class FileDescriptor {
 public:
  /// Takes what open() returned; below zero is "none".
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }

  /// What close() returned: network file systems tell there that the disk is full.
  int close() { return fd_ < 0 ? 0 : ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

}  // namespace qturn

#endif  // QTURN_SRC_FILES_FILE_DESCRIPTOR_HPP
