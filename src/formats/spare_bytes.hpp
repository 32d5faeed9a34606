// Memory of files that are done with, for files to come.
//
// Fresh memory is not free: the system clears each page when it is first written to, while all
// threads of the program may have to wait for one another. For a photograph that only passes
// through, read, walked and written, that was a quarter of the time.
#ifndef QTURN_SRC_FORMATS_SPARE_BYTES_HPP
#define QTURN_SRC_FORMATS_SPARE_BYTES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "src/formats/codec.hpp"

namespace qturn {

/// May be used by several threads.
class SpareBytes {
 public:
  /// Keeps no more than this.
  explicit SpareBytes(std::uint64_t keep_bytes) : keep_bytes_(keep_bytes) {}

  /// With a capacity of at least `bytes`, and whatever is in it.
  Bytes take(std::size_t bytes) {
    if (Bytes spare = take_spare(bytes); spare.capacity() >= bytes) return spare;
    Bytes fresh;
    // Files of one kind are of nearly one size: with some room it does for most of the others.
    const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes) / 4, 1);
    fresh.reserve((bytes + step - 1) / step * step);
    return fresh;
  }

  void give(Bytes bytes) {
    const std::size_t capacity = bytes.capacity();
    const std::lock_guard lock(mutex_);
    if (capacity == 0 || capacity > keep_bytes_ - kept_) return;
    kept_ += capacity;
    spare_.emplace(capacity, std::move(bytes));
  }

 private:
  // The smallest that is large enough; without one the largest, which would only be hoarded when
  // a larger one comes.
  Bytes take_spare(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    auto best = spare_.lower_bound(bytes);
    if (best == spare_.end()) --best;
    kept_ -= best->first;
    return std::move(spare_.extract(best).mapped());
  }

  const std::uint64_t keep_bytes_;
  std::mutex mutex_;
  std::multimap<std::size_t, Bytes> spare_;  ///< by capacity
  std::uint64_t kept_ = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_SPARE_BYTES_HPP
