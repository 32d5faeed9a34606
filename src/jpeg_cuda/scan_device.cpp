#include "src/jpeg_cuda/scan_device.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "src/cuda/batches.hpp"
#include "src/cuda/owners.hpp"
#include "src/jpeg_cuda/page_locked_pool.hpp"

namespace qturn {
namespace {

// One batch goes to the device or comes back while another is turned.
constexpr int workers_per_device = 2;
// The share of a device's free memory that the batches of one worker may take.
constexpr std::uint64_t memory_share = 8;
constexpr BatchLimits batch_limits{.count = 64, .patience = std::chrono::milliseconds(2)};
constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Turned data is about as long as the data: the codes of DC differences change. If it does not fit,
// the CPU turns the picture.
std::size_t turned_capacity(std::size_t bytes) { return bytes + bytes / 8 + 4096; }

/// A request whose data is in page-locked memory, where its results come to.
struct ScanWork : DeviceWork {
  const ScanRequest* scan = nullptr;
  std::byte* staged = nullptr;          ///< the data, and then the results
  std::vector<std::size_t> made_bytes;  ///< by output; empty if there are none
};

/// The page-locked memory of a request. When the results come, its data is no longer needed.
std::size_t staged_bytes(const ScanRequest& scan) {
  return scan.turns.size() * aligned(turned_capacity(scan.data.size()));
}

std::uint64_t device_bytes(const ScanRequest& scan) {
  return jpeg_workspace(scan.turns.data(), scan.turns.size()).device_bytes +
         aligned(scan.data.size()) + staged_bytes(scan);
}

/// What one worker thread has on its device. Made, used and destroyed on that thread.
class ScanWorker {
 public:
  /// On the current device. May use `memory_bytes` of its memory.
  explicit ScanWorker(std::uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  void run(std::span<DeviceWork* const> batch, const std::function<void()>& enqueued_all,
           const std::function<void(std::size_t)>& done) {
    std::vector<Picture> pictures;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      pictures.push_back({i, static_cast<ScanWork*>(batch[i])});
    }
    std::size_t left = pictures.size();
    const auto run_some = [&](std::span<Picture> some) {
      const std::vector<JpegScanTurn> turns = place(some);
      // Requests take their memory back when this is left, also by an exception.
      const StreamEnd end{stream_.get()};
      enqueue(some, turns);
      left -= some.size();
      if (left == 0) enqueued_all();
      event_.wait_for(stream_.get(), "turning on the device");
      fetch(some, turns);
      for (const Picture& picture : some) done(picture.index);
    };
    const auto give_back = [&] { memory_ = DeviceBuffer(); };
    // What is too large even alone goes the CPU's way.
    in_halves_without_memory<OutOfDeviceMemory>(std::span(pictures), run_some, give_back);
  }

 private:
  struct Picture {
    std::size_t index;
    ScanWork* work;
  };

  struct StreamEnd {
    cudaStream_t stream;
    ~StreamEnd() { cudaStreamSynchronize(stream); }
  };

  // Gives every picture its memory on the device. Nothing is done before all of it is there.
  std::vector<JpegScanTurn> place(std::span<const Picture> pictures) {
    std::vector<JpegScanTurn> turns;
    std::size_t bytes = 0;
    const auto take = [&](std::size_t more) { return std::exchange(bytes, bytes + aligned(more)); };
    std::vector<std::size_t> data_at, out_at;
    for (const Picture& picture : pictures) {
      const ScanRequest& scan = *picture.work->scan;
      const std::size_t at = take(scan.data.size());
      for (JpegScanTurn turn : scan.turns) {
        turn.bytes = scan.data.size();
        turn.capacity = turned_capacity(turn.bytes);
        turns.push_back(turn);
        data_at.push_back(at);
        out_at.push_back(take(turn.capacity));
      }
    }
    const JpegWorkspace needed = jpeg_workspace(turns.data(), turns.size());
    workspace_at_ = take(needed.device_bytes);
    tables_.reserve(needed.host_bytes);
    results_.reserve(turns.size() * sizeof(JpegResult));
    std::byte* const memory = memory_.reserve(with_room(bytes, pictures.size()));
    for (std::size_t i = 0; i < turns.size(); ++i) {
      turns[i].data = memory + data_at[i];
      turns[i].out = memory + out_at[i];
    }
    return turns;
  }

  // The whole device waits when memory grows, and the first batches are small. So memory for a full
  // batch of such pictures is allocated at once.
  std::uint64_t with_room(std::uint64_t bytes, std::size_t pictures) const {
    const std::uint64_t full = bytes / pictures * batch_limits.count;
    return std::max(bytes, std::min(full, memory_bytes_));
  }

  void enqueue(std::span<const Picture> pictures, std::span<const JpegScanTurn> turns) {
    std::size_t first = 0;
    for (const Picture& picture : pictures) {
      const ScanRequest& scan = *picture.work->scan;
      auto* const data = const_cast<void*>(turns[first].data);
      check(cudaMemcpyAsync(data, picture.work->staged, scan.data.size(), cudaMemcpyHostToDevice,
                            stream_.get()),
            "JPEGs to the device");
      first += scan.turns.size();
    }
    turn_jpegs(turns.data(), turns.size(), memory_.data() + workspace_at_, tables_.data(),
               results(), stream_.get());
  }

  void fetch(std::span<const Picture> pictures, std::span<const JpegScanTurn> turns) {
    std::size_t next = 0;
    for (const Picture& picture : pictures) {
      const std::size_t first = next, count = picture.work->scan->turns.size();
      next += count;
      const std::span made(results() + first, count);
      if (std::ranges::any_of(made, [](const JpegResult& each) { return each.faults != 0; })) {
        continue;
      }
      std::byte* to = picture.work->staged;
      for (std::size_t i = 0; i < count; ++i) {
        const JpegScanTurn& turn = turns[first + i];
        check(cudaMemcpyAsync(to, turn.out, made[i].bytes, cudaMemcpyDeviceToHost, stream_.get()),
              "JPEGs from the device");
        picture.work->made_bytes.push_back(made[i].bytes);
        to += aligned(turn.capacity);
      }
    }
    event_.wait_for(stream_.get(), "JPEGs from the device");
  }

  JpegResult* results() const { return reinterpret_cast<JpegResult*>(results_.data()); }

  std::uint64_t memory_bytes_;
  CudaStream stream_;
  CudaEvent event_;
  DeviceBuffer memory_;
  std::size_t workspace_at_ = 0;
  PageLockedBuffer tables_, results_;
};

Batches::Worker make_worker(int device) {
  use_device(device);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "the device's memory");
  const std::uint64_t bytes = free / memory_share;
  const auto worker = std::make_shared<ScanWorker>(bytes);
  return {[worker](auto batch, const auto& enqueued, const auto& done) {
            worker->run(batch, enqueued, done);
          },
          bytes};
}

class ScanDevice final : public JpegDevice {
 public:
  ScanDevice(const std::vector<int>& devices, const ScanDeviceLimits& limits, SpareBytes& spare,
             const std::atomic<bool>& stop)
      : first_(devices.front()),
        spare_(spare),
        staging_(limits.page_locked_bytes),
        batches_(
            batch_limits,
            [](const JpegRequest& asked) { return device_bytes(std::get<ScanRequest>(asked)); },
            workers(devices), stop) {}

  std::optional<std::vector<Bytes>> turn(const JpegRequest& asked) override {
    const auto& scan = std::get<ScanRequest>(asked);
    ScanWork work;
    work.request = &asked;
    work.scan = &scan;
    try {
      work.device_bytes = device_bytes(scan);
    } catch (const std::invalid_argument&) {
      return std::nullopt;  // the header asks for something that makes no sense
    }
    check(cudaSetDevice(first_), "the device");
    const PageLockedPool::Piece piece = staging_.take(staged_bytes(scan));
    if (!piece.data()) return std::nullopt;
    work.staged = piece.data();
    std::memcpy(work.staged, scan.data.data(), scan.data.size());
    batches_.do_work(work);
    if (work.made_bytes.empty()) return std::nullopt;
    std::vector<Bytes> files;
    const std::byte* made = work.staged;
    for (std::size_t i = 0; i < scan.turns.size(); ++i) {
      files.push_back(scan.finish(i, {made, work.made_bytes[i]}, spare_));
      made += aligned(turned_capacity(scan.data.size()));
    }
    return files;
  }

  bool is_busy() override { return batches_.is_busy(); }
  bool is_of_use() override { return batches_.is_of_use(); }
  std::string take_problem() override { return batches_.take_problem(); }

 private:
  static std::vector<Batches::MakeWorker> workers(const std::vector<int>& devices) {
    std::vector<Batches::MakeWorker> all;
    for (int i = 0; i < workers_per_device; ++i) {
      for (const int device : devices) all.push_back({device, [=] { return make_worker(device); }});
    }
    return all;
  }

  const int first_;
  SpareBytes& spare_;
  PageLockedPool staging_;
  Batches batches_;
};

}  // namespace

std::unique_ptr<JpegDevice> make_scan_device(const std::vector<int>& devices,
                                             const ScanDeviceLimits& limits, SpareBytes& spare,
                                             const std::atomic<bool>& stop) {
  return std::make_unique<ScanDevice>(devices, limits, spare, stop);
}

}  // namespace qturn
