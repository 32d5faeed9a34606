#include "src/sources/sample_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/files/safe_file.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

void SampleMemory::add_result(std::uint64_t bytes) {
  result_bytes_ += bytes;
  const std::uint64_t needed = file_bytes_ + result_bytes_;
  is_too_large_ = is_too_large_ || needed > largest_bytes_;
  if (is_too_large_) throw FileError(why_too_large(), {}, {});
  reserved_.resize(std::max(reserved_.bytes(), needed));
}

std::string SampleMemory::why_too_large() const {
  return fmt::format(
      "its sample needs more than {} MiB of memory with its results; a larger --memory permits "
      "that",
      largest_bytes_ >> 20);
}

}  // namespace qturn
