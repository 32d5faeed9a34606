// The bytes of a whole file on its way, and the memory that they lie in.
//
// For most files that is a vector. What goes to a GPU, or comes from there, lies in page-locked
// memory: the system writes the file there and the GPU reads it there. A copy in between would take
// as long as reading the file.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {

class FileBytes {
 public:
  /// Memory of another kind than a vector's. It goes back by its deleter.
  using Memory = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

  FileBytes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most files are vectors
  FileBytes(Bytes bytes) noexcept : vector_(std::move(bytes)) {}
  /// No bytes yet, in memory for `capacity` of them.
  FileBytes(Memory memory, std::size_t capacity)
      : memory_(std::move(memory)), capacity_(capacity) {}

  std::byte* data() { return memory_ ? memory_.get() : vector_.data(); }
  const std::byte* data() const { return memory_ ? memory_.get() : vector_.data(); }
  std::size_t size() const { return memory_ ? size_ : vector_.size(); }
  std::size_t capacity() const { return memory_ ? capacity_ : vector_.capacity(); }
  bool empty() const { return size() == 0; }
  std::byte* begin() { return data(); }
  std::byte* end() { return data() + size(); }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size(); }

  /// New bytes have any value. What does not fit into other memory becomes a vector.
  void resize(std::size_t bytes) {
    if (memory_ && bytes <= capacity_) {
      size_ = bytes;
      return;
    }
    if (memory_) *this = FileBytes(Bytes(begin(), end()));
    vector_.resize(bytes);
  }
  void append(std::span<const std::byte> bytes) {
    const std::size_t before = size();
    resize(before + bytes.size());
    std::ranges::copy(bytes, begin() + before);
  }

  /// The vector, if it is one; otherwise a copy.
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  operator Bytes() && { return memory_ ? Bytes(begin(), end()) : std::move(vector_); }
  /// The vector for other bytes; an empty one if there is none.
  Bytes spare() && { return std::move(vector_); }

 private:
  Bytes vector_;
  Memory memory_;
  std::size_t size_ = 0, capacity_ = 0;  ///< of `memory_`
};

// Memory of finished files, for later files.
//
// New memory costs time: the system clears each page at its first write, and the threads of the
// program may have to wait for each other. For a photograph that is only read, checked and written,
// that was a quarter of the time.

/// May be used by several threads.
class SpareBytes {
 public:
  /// What takes less comes from the allocator, which keeps it by itself.
  static constexpr std::size_t worth_keeping = std::size_t{1} << 20;

  /// Keeps no more than this, in no more than so many pieces: the pieces that were given last. More
  /// is given than taken (a file and its results, for the next file), and sizes change from folder
  /// to folder; what nobody takes must make room.
  SpareBytes(std::uint64_t keep_bytes, std::size_t keep_count)
      : keep_bytes_(keep_bytes), keep_count_(keep_count) {}

  /// Returns Bytes with a capacity of at least `bytes` and with any content.
  Bytes take(std::size_t bytes) {
    if (Bytes spare = take_spare(bytes); spare.capacity() > 0) return spare;
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
    while (kept_ > bytes) drop_oldest();
    return kept_;
  }

  void give(Bytes bytes) {
    const std::size_t capacity = bytes.capacity();
    if (capacity == 0 || capacity > keep_bytes_ || keep_count_ == 0) return;
    const std::lock_guard lock(mutex_);
    while (spare_.size() == keep_count_ || capacity > keep_bytes_ - kept_) drop_oldest();
    kept_ += capacity;
    spare_.push_back(std::move(bytes));
  }

 private:
  // The smallest that is large enough, and of several the last one given, unless it is so much
  // larger that memory would be used that nobody has reserved.
  Bytes take_spare(std::size_t bytes) {
    constexpr std::size_t small = std::size_t{1} << 20;
    const std::size_t most = bytes + bytes / 4 + small;
    const std::lock_guard lock(mutex_);
    auto best = spare_.end();
    for (auto each = spare_.begin(); each != spare_.end(); ++each) {
      if (each->capacity() < bytes || each->capacity() > most) continue;
      if (best == spare_.end() || each->capacity() <= best->capacity()) best = each;
    }
    if (best == spare_.end()) return {};
    kept_ -= best->capacity();
    Bytes taken = std::move(*best);
    spare_.erase(best);
    return taken;
  }

  void drop_oldest() {
    kept_ -= spare_.front().capacity();
    spare_.erase(spare_.begin());
  }

  const std::uint64_t keep_bytes_;
  const std::size_t keep_count_;
  std::mutex mutex_;
  std::vector<Bytes> spare_;  ///< the oldest first
  std::uint64_t kept_ = 0;
};

}  // namespace qturn
