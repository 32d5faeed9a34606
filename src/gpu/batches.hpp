// Work of many tasks, collected into batches.
//
// A GPU is fast with dozens of pictures at a time and slow with single ones, while each picture
// is a task of its own. So those tasks are suspended here until a worker takes a full batch, or,
// after a short time or if nothing else is under way, whatever is waiting. One worker of a device
// enqueues its batch while the others finish theirs. A worker takes its batch only when the batch
// before is enqueued, so that it is as full as possible. The result of a work does not depend on
// the others in its batch.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "src/tasks/suspend.hpp"

namespace qturn {

/// A request. The caller and the worker agree on what its result is.
struct DeviceWork {
  std::uint64_t device_bytes = 0;  ///< the memory that it takes on the device
  std::exception_ptr error = {};
};

/// The device cannot be used any more.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BatchLimits {
  std::size_t count = 64;
  std::chrono::milliseconds patience{2};
  std::chrono::milliseconds retry{1000};  ///< from one start of a worker to the next; then doubled
};

/// May be used by several threads.
class Batches {
 public:
  struct Worker {
    /// Processes a batch on the worker's thread. It calls `enqueued` when another worker may
    /// enqueue its own. It puts a result or an error into each work and calls `done` with its
    /// index; after that it must not touch the work. If it throws DeviceLost, this worker ends, and
    /// another one does the rest. If it throws anything else, the rest fails with that error. Empty
    /// if the device cannot be used; if no device can be used, no work is done.
    std::function<void(std::span<DeviceWork* const> batch, const std::function<void()>& enqueued,
                       const std::function<void(std::size_t)>& done)>
        work;
    /// The most device memory that the pictures of a batch take together. A picture that takes more
    /// is a batch by itself.
    std::uint64_t device_bytes = std::numeric_limits<std::uint64_t>::max();
  };
  /// Makes a worker for a device, on the thread that it will run on. Work may already wait. If
  /// this throws, it is tried again after a while: another program may have the device's memory.
  struct MakeWorker {
    int device;
    std::function<Worker()> make;
  };

  /// Each of `workers` gets a thread.
  Batches(const BatchLimits& limits, std::vector<MakeWorker> workers,
          const std::atomic<bool>& stop);
  ~Batches();

  /// Suspends the calling task until a worker has done `work`, or no device can be used. Throws its
  /// error, or Interrupted when the run is given up.
  void do_work(DeviceWork& work);

  /// False while nothing can be done.
  bool is_of_use();

  /// Why a device could not be used, a sentence; empty if none has failed since this was last
  /// asked.
  std::string take_problem();

 private:
  struct Waiting {
    DeviceWork& work;
    std::chrono::steady_clock::time_point since;
    Resume resume{};
  };

  void run(const MakeWorker& make);
  Worker start(const MakeWorker& make);
  void resign(const std::string& problem);
  void give_back(std::span<Waiting* const> undone);
  std::vector<Waiting*> take(std::uint64_t device_bytes);

  const BatchLimits limits_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable arrived_, ended_;
  std::map<int, std::mutex> enqueuing_;  ///< by device
  std::deque<Waiting*> waiting_;
  int under_way_ = 0;    ///< batches
  std::size_t workers_;  ///< that have started, or start for the first time
  std::string problem_;  ///< until somebody has asked
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// Calls `work` with all of `items`. If that throws OutOfMemory, calls `release()` and works on one
/// half after the other in the same way. Returns items that lack memory even alone.
template <typename OutOfMemory, typename Item, typename Work, typename Release>
std::vector<Item*> in_halves_without_memory(std::span<Item> items, Work work, Release release) {
  if (items.empty()) return {};
  try {
    work(items);
    return {};
  } catch (const OutOfMemory&) {
    release();
  }
  if (items.size() == 1) return {items.data()};
  const std::size_t half = items.size() / 2;
  std::vector<Item*> left = in_halves_without_memory<OutOfMemory>(items.first(half), work, release);
  for (Item* item : in_halves_without_memory<OutOfMemory>(items.subspan(half), work, release)) {
    left.push_back(item);
  }
  return left;
}

}  // namespace qturn
