#include "src/run/lane.hpp"

#include <stdexcept>

namespace qturn {

Lane* LanePool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) throw std::logic_error("more pictures on lanes than seats");
  Lane* lane = free_.back();
  free_.pop_back();
  return lane;
}

void LanePool::give_back(Lane* lane) {
  const std::lock_guard lock(mutex_);
  free_.push_back(lane);
}

}  // namespace qturn
