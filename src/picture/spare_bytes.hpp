// Memory of finished files, for later files.
//
// New memory costs time: the system clears each page at its first write, and the threads of the
// program may have to wait for each other. For a photograph that is only read, checked and written,
// that was a quarter of the time.
#ifndef QTURN_SRC_PICTURE_SPARE_BYTES_HPP
#define QTURN_SRC_PICTURE_SPARE_BYTES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "src/picture/bytes.hpp"

namespace qturn {

/// May be used by several threads.
class SpareBytes {
 public:
  /// Keeps no more than this, in no more than so many pieces. More is given than taken (a file and
  /// its results, for the next file), so small files would pile up to `keep_bytes` otherwise.
  SpareBytes(std::uint64_t keep_bytes, std::size_t keep_count)
      : keep_bytes_(keep_bytes), keep_count_(keep_count) {}

  /// With a capacity of at least `bytes`, and any content.
  Bytes take(std::size_t bytes) {
    if (Bytes spare = take_spare(bytes); spare.capacity() >= bytes) return spare;
    Bytes fresh;
    // Files of one kind have nearly the same size. With some room to spare, it fits most of the
    // others.
    const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes) / 4, 1);
    fresh.reserve((bytes + step - 1) / step * step);
    return fresh;
  }

  /// Gives back to the system what is kept beyond this. Returns what is still kept.
  std::uint64_t keep_at_most(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    while (kept_ > bytes) {
      const auto largest = std::prev(spare_.end());
      kept_ -= largest->first;
      spare_.erase(largest);
    }
    return kept_;
  }

  void give(Bytes bytes) {
    const std::size_t capacity = bytes.capacity();
    const std::lock_guard lock(mutex_);
    if (spare_.size() == keep_count_) drop_smallest(capacity);
    if (capacity == 0 || capacity > keep_bytes_ - kept_ || spare_.size() == keep_count_) return;
    kept_ += capacity;
    spare_.emplace(capacity, std::move(bytes));
  }

 private:
  // The smallest that is large enough, unless it is so much larger that memory would be used that
  // nobody has reserved. If there is none, the largest, which would not be used again once a larger
  // one is there.
  Bytes take_spare(std::size_t bytes) {
    constexpr std::size_t small = std::size_t{1} << 20;
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    auto best = spare_.lower_bound(bytes);
    if (best == spare_.end()) --best;
    if (best->first > bytes + bytes / 4 + small) return {};
    kept_ -= best->first;
    return std::move(spare_.extract(best).mapped());
  }

  // Unless it is larger than `capacity`.
  void drop_smallest(std::size_t capacity) {
    if (spare_.empty() || spare_.begin()->first >= capacity) return;
    kept_ -= spare_.begin()->first;
    spare_.erase(spare_.begin());
  }

  const std::uint64_t keep_bytes_;
  const std::size_t keep_count_;
  std::mutex mutex_;
  std::multimap<std::size_t, Bytes> spare_;  ///< by capacity
  std::uint64_t kept_ = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_PICTURE_SPARE_BYTES_HPP
