// Files read for a batch, on as many threads as there are.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {

struct ReadFile {
  Bytes bytes = {};
  std::string error = {};  ///< why it cannot be read; empty if it was
};

/// One for each path, in order.
std::vector<ReadFile> read_files(std::span<const std::filesystem::path> paths);

}  // namespace qturn
