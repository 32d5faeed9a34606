// Memory of files that are done with, for files to come.
//
// Fresh memory is not free: the system clears each page when it is first written to, while all
// threads of the program may have to wait for one another. For a photograph that only passes
// through, read, walked and written, that was a quarter of the time.
#ifndef QTURN_SRC_FORMATS_SPARE_BYTES_HPP
#define QTURN_SRC_FORMATS_SPARE_BYTES_HPP

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "src/formats/codec.hpp"

namespace qturn {

/// May be used by several threads.
class SpareBytes {
 public:
  /// Keeps no more than this.
  explicit SpareBytes(std::uint64_t keep_bytes) : keep_bytes_(keep_bytes) {}

  /// Empty if there is nothing to spare, otherwise with whatever is in it.
  Bytes take() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    Bytes bytes = std::move(spare_.back());
    spare_.pop_back();
    kept_ -= bytes.capacity();
    return bytes;
  }

  void give(Bytes bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes.capacity() > keep_bytes_ - kept_) return;
    kept_ += bytes.capacity();
    spare_.push_back(std::move(bytes));
  }

 private:
  const std::uint64_t keep_bytes_;
  std::mutex mutex_;
  std::vector<Bytes> spare_;
  std::uint64_t kept_ = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_SPARE_BYTES_HPP
