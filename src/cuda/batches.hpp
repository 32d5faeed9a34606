// Requests of many threads, collected into batches.
//
// A GPU is fast with dozens of pictures at a time and slow with single ones, while each picture
// comes on a thread of its own. So those threads wait here until a worker takes a full batch, or,
// after a short time or if nothing else is under way, whatever is waiting. One worker of a device
// decodes while the others finish their batches, because several decoders at a time are slower. A
// worker takes its batch only when the batch before is decoded, so that it is as full as possible.
// The result of a request does not depend on the others in its batch.
#ifndef QTURN_SRC_CUDA_BATCHES_HPP
#define QTURN_SRC_CUDA_BATCHES_HPP

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
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "src/formats/codec/jpeg_device.hpp"

namespace qturn {

/// A request that waits, and its result.
struct DeviceWork {
  const JpegRequest* request = nullptr;
  std::uint64_t device_bytes = 0;
  std::optional<std::vector<Bytes>> results = {};  ///< as JpegDevice::turn
  std::exception_ptr error = {};
};

struct BatchLimits {
  std::size_t count = 128;
  std::chrono::milliseconds patience{10};
  std::size_t busy = 128;                 ///< requests that wait
  std::chrono::milliseconds retry{1000};  ///< from one start of a worker to the next; then doubled
};

class Batches final : public JpegDevice {
 public:
  struct Worker {
    /// Processes a batch on the worker's thread. It calls `decoded` when another worker may decode.
    /// It puts a result or an error into each request and calls `done` with its index; after that
    /// it must not touch the request. If it throws, the requests that are not done fail with that
    /// error. Empty if the device cannot be used; if no device can be used, no request is taken.
    std::function<void(std::span<DeviceWork* const> batch, const std::function<void()>& decoded,
                       const std::function<void(std::size_t)>& done)>
        work;
    /// The most device memory that the pictures of a batch take together. A picture that takes more
    /// is a batch by itself.
    std::uint64_t device_bytes = std::numeric_limits<std::uint64_t>::max();
  };
  /// Makes a worker for a device, on the thread that it will run on. Requests may already wait. If
  /// this throws, it is tried again after a while: another program may have the device's memory.
  struct MakeWorker {
    int device;
    std::function<Worker()> make;
  };

  /// `device_bytes` is the device memory that a request takes. Each of `workers` gets a thread.
  Batches(const BatchLimits& limits, std::function<std::uint64_t(const JpegRequest&)> device_bytes,
          std::vector<MakeWorker> workers, const std::atomic<bool>& stop);
  ~Batches() override;

  std::optional<std::vector<Bytes>> turn(const JpegRequest& request) override;

  /// Waits until a worker has done `work`. Throws its error.
  void do_work(DeviceWork& work);

  bool is_busy() override;
  bool is_of_use() override;
  std::string take_problem() override;

 private:
  struct Waiting {
    DeviceWork& work;
    std::chrono::steady_clock::time_point since;
    bool done = false;
    std::condition_variable finished{};  ///< one per request, or each result would wake all threads
  };

  void run(const MakeWorker& make);
  Worker start(const MakeWorker& make);
  void resign();
  std::vector<Waiting*> take(std::uint64_t device_bytes);
  void finish(Waiting& waiting);

  const BatchLimits limits_;
  const std::function<std::uint64_t(const JpegRequest&)> device_bytes_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable arrived_, ended_;
  std::map<int, std::mutex> decoding_;  ///< by device
  std::deque<Waiting*> waiting_;
  int under_way_ = 0;    ///< batches
  std::size_t workers_;  ///< that have started, or start for the first time
  std::string problem_;  ///< why one could not start, until somebody has asked
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// Calls `work` with all of `items`. If that throws OutOfMemory, calls `release()` and works on one
/// half after the other in the same way. Returns those for which there is not even memory alone.
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

/// Calls `decode` for all `count` pictures of a batch at once. If that throws Failure, calls it for
/// each picture alone. Returns which pictures were decoded.
template <typename Failure, typename Decode>
std::vector<std::size_t> decode_those_that_can_be(std::size_t count, Decode decode) {
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  try {
    decode(std::span<const std::size_t>(all));
    return all;
  } catch (const Failure&) {
    if (count <= 1) return {};
  }
  std::vector<std::size_t> decoded;
  for (const std::size_t i : all) {
    try {
      decode(std::span(&i, 1));
      decoded.push_back(i);
    } catch (const Failure&) {
      // The caller then takes another way.
    }
  }
  return decoded;
}

}  // namespace qturn

#endif  // QTURN_SRC_CUDA_BATCHES_HPP
