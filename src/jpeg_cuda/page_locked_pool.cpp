#include "src/jpeg_cuda/page_locked_pool.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace qturn {

PageLockedPool::Piece PageLockedPool::take(std::size_t bytes) {
  // Pictures of one kind have nearly the same size, so a piece fits most of the others.
  const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes) / 4, 4096);
  const std::size_t rounded = (bytes + step - 1) / step * step;
  std::unique_lock lock(mutex_);
  while (true) {
    if (Piece piece = spare_piece(bytes, 2 * rounded); piece.data()) return piece;
    if (held_ + rounded <= most_bytes_) {
      held_ += rounded;
      ++in_use_;
      lock.unlock();
      try {
        return {*this, allocate_page_locked(rounded), rounded};
      } catch (const OutOfDeviceMemory&) {
        lock.lock();
        forget(rounded);
        most_bytes_ = held_;  // the system has no more for us
        continue;
      } catch (...) {
        lock.lock();
        forget(rounded);
        throw;
      }
    }
    if (Piece piece = spare_piece(bytes, std::numeric_limits<std::size_t>::max()); piece.data()) {
      return piece;
    }
    if (!spare_.empty()) {
      held_ -= spare_.begin()->first;
      spare_.erase(spare_.begin());
    } else if (in_use_ > 0) {
      given_back_.wait(lock);
    } else {
      return {};
    }
  }
}

// What could not be allocated. Those that wait for a piece must look whether one is still in use.
void PageLockedPool::forget(std::size_t bytes) {
  held_ -= bytes;
  --in_use_;
  given_back_.notify_all();
}

// The smallest that is large enough.
PageLockedPool::Piece PageLockedPool::spare_piece(std::size_t bytes, std::size_t most_bytes) {
  const auto found = spare_.lower_bound(bytes);
  if (found == spare_.end() || found->first > most_bytes) return {};
  auto taken = spare_.extract(found);
  ++in_use_;
  return {*this, taken.mapped().release(), taken.key()};
}

void PageLockedPool::give_back(std::size_t bytes, std::byte* data) {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    spare_.emplace(bytes, Memory(data));
  }
  given_back_.notify_all();
}

}  // namespace qturn
