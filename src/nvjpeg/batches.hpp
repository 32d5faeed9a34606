// Requests of many threads, collected into batches.
//
// A hardware decoder is fast with dozens of pictures at a time and slow with single ones, while
// each picture comes on a thread of its own. So those threads wait here until a worker takes what
// has gathered: a full batch, or after a short patience what there is. Of the workers of a device
// one decodes, which several at a time do slower, while the others encode; it takes its batch when
// the one before is decoded, and not earlier, so that it is as full as can be. What is in a batch
// does not change what comes out.
#ifndef QTURN_SRC_NVJPEG_BATCHES_HPP
#define QTURN_SRC_NVJPEG_BATCHES_HPP

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
#include <thread>
#include <vector>

#include "src/jpeg/planar_device.hpp"

namespace qturn {

/// A request that waits, and its result.
struct PlanarWork {
  const PlanarRequest* request = nullptr;
  std::uint64_t device_bytes = 0;
  std::optional<std::vector<Bytes>> results;  ///< as PlanarDevice::turn
  std::exception_ptr error;
};

struct BatchLimits {
  std::size_t count = 128;
  std::chrono::milliseconds patience{10};
  std::size_t busy = 128;  ///< requests that wait
};

class Batches final : public PlanarDevice {
 public:
  struct Worker {
    /// Works through a batch, on the worker's thread. It calls `decoded` when another worker may
    /// decode, puts results or errors into each and calls `done` with its index, after which that
    /// one must not be touched any more. If it throws, those that are not done fail with that.
    /// Empty if its device turns out to be of no use: where all are, no request can be taken.
    std::function<void(std::span<PlanarWork* const> batch, const std::function<void()>& decoded,
                       const std::function<void(std::size_t)>& done)>
        work;
    /// Of all pictures of a batch, unless it is one picture.
    std::uint64_t device_bytes = std::numeric_limits<std::uint64_t>::max();
  };
  /// Makes a worker for a device on the thread that it will run on, while requests gather already;
  /// where that throws, so does every turn().
  struct MakeWorker {
    int device;
    std::function<Worker()> make;
  };

  /// `device_bytes` says what a request takes of a device's memory. A thread for each of `workers`.
  Batches(const BatchLimits& limits,
          std::function<std::uint64_t(const PlanarRequest&)> device_bytes,
          std::vector<MakeWorker> workers, const std::atomic<bool>& stop);
  ~Batches() override;

  std::optional<std::vector<Bytes>> turn(const PlanarRequest& request) override;
  bool is_busy() override;
  bool is_of_use() override;

 private:
  struct Waiting {
    PlanarWork work;
    std::chrono::steady_clock::time_point since;
    bool done = false;
    std::condition_variable finished;  ///< one for each, or each result would wake up all
  };

  void run(const MakeWorker& make);
  void resign();
  std::vector<Waiting*> take(std::uint64_t device_bytes);
  void finish(Waiting& waiting);

  const BatchLimits limits_;
  const std::function<std::uint64_t(const PlanarRequest&)> device_bytes_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<int, std::mutex> decoding_;  ///< by device
  std::deque<Waiting*> waiting_;
  std::size_t workers_;
  std::exception_ptr broken_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// Calls `decode` for all `count` pictures of a batch and, if that throws Failure, for each by
/// itself. Returns which ones were decoded.
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
      // Whoever asked takes another way.
    }
  }
  return decoded;
}

}  // namespace qturn

#endif  // QTURN_SRC_NVJPEG_BATCHES_HPP
