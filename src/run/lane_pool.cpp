#include "src/run/lane_pool.hpp"

#include <stdexcept>

namespace qturn {

Lane* LanePool::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) throw std::logic_error("more pictures on lanes than threads");
  Lane* lane = free_.back();
  free_.pop_back();
  lane->keep_at_most(bytes);
  return lane;
}

std::uint64_t LanePool::keep_at_most(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  std::uint64_t kept = 0;
  for (const Lane* lane : free_) kept += lane->kept_bytes();
  // The one that was used longest ago first.
  for (auto lane = free_.begin(); lane != free_.end() && kept > bytes; ++lane) {
    kept -= (*lane)->kept_bytes();
    (*lane)->keep_at_most(0);
  }
  return kept;
}

void LanePool::give_back(Lane* lane) {
  const std::lock_guard lock(mutex_);
  free_.push_back(lane);
}

}  // namespace qturn
