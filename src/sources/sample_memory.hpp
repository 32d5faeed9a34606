// What a sample takes whose files have been read: them, and its results until they are written.
#pragma once

#include <cstdint>

#include "src/picture/errors.hpp"
#include "src/tasks/byte_budget.hpp"

namespace qturn {

/// One thread at a time.
class SampleMemory {
 public:
  /// `reserved`: for the files, and for the results as far as they can be told. A sample that takes
  /// more than `largest_bytes` is too large.
  SampleMemory(Reservation reserved, std::uint64_t file_bytes, std::uint64_t largest_bytes)
      : reserved_(std::move(reserved)), file_bytes_(file_bytes), largest_bytes_(largest_bytes) {}

  /// Counts a result that waits to be written. Throws FileError if the sample is too large with it.
  /// Then none of its results is written, whichever came first.
  void add_result(std::uint64_t bytes);
  bool is_too_large() const { return is_too_large_; }
  Sentence why_too_large() const;
  /// Its files are not needed any more, only results of so many bytes.
  void keep(std::uint64_t result_bytes) { reserved_.resize(result_bytes); }

 private:
  Reservation reserved_;
  const std::uint64_t file_bytes_, largest_bytes_;
  std::uint64_t result_bytes_ = 0;
  bool is_too_large_ = false;
};

}  // namespace qturn
