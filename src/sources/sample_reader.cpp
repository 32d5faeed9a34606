#include "src/sources/sample_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/files/safe_file.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

void SampleMemory::add_result(std::uint64_t bytes) {
  result_bytes_ += bytes;
  const std::uint64_t needed = file_bytes_ + result_bytes_;
  is_too_large_ = is_too_large_ || needed > largest_bytes_;
  if (is_too_large_) {
    Sentence why = why_too_large();
    throw WithHints<FileError>(std::move(why.hints), why.text, std::filesystem::path(),
                               std::error_code());
  }
  reserved_.resize(std::max(reserved_.bytes(), needed));
}

Sentence SampleMemory::why_too_large() const {
  return {fmt::format("its sample needs more than {} MiB of memory with its results",
                      largest_bytes_ >> 20),
          {Hint::more_memory}};
}

}  // namespace qturn
