// The lanes of a run, shared between its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/turn/lane.hpp"

namespace qturn {

/// A lane for each thread of the pipeline. No task is suspended while it has one, so there is
/// always one free.
class LanePool {
 public:
  explicit LanePool(std::vector<std::unique_ptr<Lane>> lanes) : lanes_(std::move(lanes)) {
    for (const auto& lane : lanes_) free_.push_back(lane.get());
  }

  /// The lane that was used last, because its memory is most likely in a cache. It keeps no more
  /// than `bytes`, which the caller has reserved.
  Lane* take(std::uint64_t bytes);
  void give_back(Lane* lane);

  /// Gives back to the system what free lanes keep beyond this. Returns what they still keep.
  std::uint64_t keep_at_most(std::uint64_t bytes);

 private:
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex mutex_;
  std::vector<Lane*> free_;
};

}  // namespace qturn
