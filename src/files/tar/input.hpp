// The bytes of a tar: a file, or standard input.
#pragma once

#include <atomic>
#include <filesystem>
#include <span>

#include "src/files/file_descriptor.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

/// The first bytes of a regular file, at most `count`. Throws FileError if it is not one, or cannot
/// be read.
Bytes read_head(const std::filesystem::path& file, std::size_t count);

class TarInput {
 public:
  /// Throws FileError if it cannot be opened. `stop` must outlive it.
  TarInput(const std::filesystem::path& file, const std::atomic<bool>& stop);
  /// Standard input, of which `head` has been read.
  TarInput(Bytes head, const std::atomic<bool>& stop);

  /// Blocks until there are some bytes; none at the end, or if `stop` is raised. Throws FileError.
  std::size_t read_some(std::span<std::byte> memory);

 private:
  std::filesystem::path name_;
  FileDescriptor file_;  // none: standard input
  Bytes head_;
  std::size_t taken_ = 0;
  const std::atomic<bool>& stop_;
};

}  // namespace qturn
