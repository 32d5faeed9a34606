// Files read for a batch, on as many threads as there are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "src/picture/file_bytes.hpp"

namespace qturn {

/// The files of a batch lie in one piece of memory, which a later batch takes over: 256 new pieces
/// would be cleared by the system, page by page, which takes longer than to read a small file.
class ReadFiles {
 public:
  struct File {
    FileBytes bytes = {};
    std::string error = {};  ///< why it cannot be read; empty if it was
  };

  ReadFiles() = default;
  /// Reads one for each path, in order.
  explicit ReadFiles(std::span<const std::filesystem::path> paths);
  ~ReadFiles();
  ReadFiles(const ReadFiles&) = delete;
  ReadFiles& operator=(const ReadFiles&) = delete;
  ReadFiles(ReadFiles&&) noexcept = default;
  ReadFiles& operator=(ReadFiles&&) noexcept = default;

  std::size_t size() const { return files_.size(); }
  const File& operator[](std::size_t i) const { return files_[i]; }
  auto begin() const { return files_.begin(); }
  auto end() const { return files_.end(); }

 private:
  Bytes memory_;
  std::vector<File> files_;
};

}  // namespace qturn
