#include "src/gpu/scan_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "src/gpu/batches.hpp"
#include "src/gpu/owners.hpp"

namespace qturn {
namespace {

// Batches go to the device and come back while others are turned.
constexpr int workers_per_device = 6;
// The share of a device's free memory that the batches of one worker may take.
constexpr std::uint64_t memory_share = 8;
// Many small batches keep the device and the cores busy: 6,140 images/s on an H200 with these
// numbers and 48 requests in flight, 5,090 with 4 workers, batches of 16, 1 ms and 64 requests
// (docs/measurements/jpeg-h200.md).
constexpr BatchLimits batch_limits{.count = 8, .patience = std::chrono::milliseconds(0)};
std::size_t aligned(std::size_t bytes) { return DevicePieces::aligned(bytes); }

// Turned data is about as long as the data, although some or all codes change. If it does not fit,
// the CPU turns the picture.
std::size_t turned_capacity(std::size_t bytes) { return bytes + bytes / 8 + 4096; }

template <class Turn>
std::vector<Turn> with_lengths(std::vector<Turn> turns, std::size_t bytes) {
  for (Turn& turn : turns) {
    turn.bytes = bytes;
    turn.capacity = turned_capacity(bytes);
  }
  return turns;
}

/// A request and its result.
struct ScanWork : DeviceWork {
  std::span<const std::byte> data;
  std::vector<JpegScanTurn> lossless;  ///< with the lengths of the data on the device
  std::vector<JpegPlanarTurn> planar;
  const JpegHead& head;
  std::vector<FileBytes> pictures;  ///< by output: memory, and then the pictures
  std::size_t data_bytes = 0;       ///< 0: the device has made nothing

  /// Throws as device_bytes().
  explicit ScanWork(const JpegRequest& request)
      : data(request.data),
        lossless(with_lengths(request.lossless, data.size())),
        planar(with_lengths(request.planar, data.size())),
        head(request.head) {
    const JpegWorkspace moved = jpeg_workspace(lossless.data(), lossless.size());
    const JpegWorkspace by_planes = jpeg_planar_workspace(planar.data(), planar.size());
    device_bytes = std::max(moved.device_bytes, by_planes.device_bytes) + aligned(data.size()) +
                   request.outputs() * aligned(turned_capacity(data.size()));
  }
};

/// Turns of a batch: first offsets into memory that is not there yet, then addresses.
template <class Turn>
class Turns {
 public:
  void add(Turn turn, std::size_t data_at, std::size_t out_at) {
    turns_.push_back(turn);
    at_.push_back({data_at, out_at});
  }
  void place(std::byte* memory) {
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      turns_[i].data = memory + at_[i].data;
      turns_[i].out = memory + at_[i].out;
    }
  }
  const Turn* data() const { return turns_.data(); }
  std::size_t size() const { return turns_.size(); }
  const Turn& operator[](std::size_t i) const { return turns_[i]; }

 private:
  struct Offsets {
    std::size_t data, out;
  };
  std::vector<Turn> turns_;
  std::vector<Offsets> at_;
};

struct BatchTurns {
  Turns<JpegScanTurn> lossless;
  Turns<JpegPlanarTurn> planar;
};

/// What one worker thread has on its device. Made, used and destroyed on that thread.
class ScanWorker {
 public:
  /// On the current device. May use `memory_bytes` of its memory.
  ScanWorker(std::uint64_t memory_bytes, bool runs_kernels)
      : memory_bytes_(memory_bytes), runs_kernels_(runs_kernels) {}

  void run(std::span<DeviceWork* const> batch, const std::function<void()>& enqueued_all,
           const std::function<void(std::size_t)>& done) {
    std::vector<Picture> pictures;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      pictures.push_back({i, static_cast<ScanWork*>(batch[i])});
    }
    std::size_t left = pictures.size();
    const auto run_some = [&](std::span<Picture> some) {
      const BatchTurns turns = place(some);
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
    // A picture that is too large even alone is left to the CPU.
    in_halves_without_memory<OutOfDeviceMemory>(std::span(pictures), run_some, give_back);
  }

 private:
  struct Picture {
    std::size_t index;
    ScanWork* work;
    std::byte* data = nullptr;  ///< on the device
  };

  // Gives every picture its memory on the device. Nothing is done before all of it is there.
  BatchTurns place(std::span<Picture> pictures) {
    BatchTurns turns;
    DevicePieces pieces;
    std::vector<std::size_t> data_at;
    for (const Picture& picture : pictures) {
      const ScanWork& work = *picture.work;
      data_at.push_back(pieces.take(work.data.size()));
      for (const JpegScanTurn& turn : work.lossless)
        turns.lossless.add(turn, data_at.back(), pieces.take(turn.capacity));
      for (const JpegPlanarTurn& turn : work.planar)
        turns.planar.add(turn, data_at.back(), pieces.take(turn.capacity));
    }
    const JpegWorkspace lossless = jpeg_workspace(turns.lossless.data(), turns.lossless.size());
    const JpegWorkspace planar = jpeg_planar_workspace(turns.planar.data(), turns.planar.size());
    // On the device one kind follows the other; on the host both are there at the same time.
    workspace_at_ = pieces.take(std::max(lossless.device_bytes, planar.device_bytes));
    lossless_.reserve(lossless, turns.lossless.size());
    planar_.reserve(planar, turns.planar.size());
    std::byte* const memory = memory_.reserve(with_room(pieces.bytes(), pictures.size()));
    turns.lossless.place(memory);
    turns.planar.place(memory);
    for (std::size_t i = 0; i < pictures.size(); ++i) pictures[i].data = memory + data_at[i];
    return turns;
  }

  // The whole device waits when memory grows, and the first batches are small. So memory for a full
  // batch of these pictures is allocated at once.
  std::uint64_t with_room(std::uint64_t bytes, std::size_t pictures) const {
    const std::uint64_t full = bytes / pictures * batch_limits.count;
    return std::max(bytes, std::min(full, memory_bytes_));
  }

  void enqueue(std::span<const Picture> pictures, const BatchTurns& turns) {
    for (const Picture& picture : pictures) {
      const std::span<const std::byte> data = picture.work->data;
      check(cudaMemcpyAsync(picture.data, data.data(), data.size(), cudaMemcpyHostToDevice,
                            stream_.get()),
            "JPEGs to the device");
    }
    if (!runs_kernels_) return echo(turns.lossless);
    std::byte* const workspace = memory_.data() + workspace_at_;
    turn_jpegs(turns.lossless.data(), turns.lossless.size(), workspace, lossless_.tables.data(),
               lossless_.results(), stream_.get());
    turn_jpegs_by_planes(turns.planar.data(), turns.planar.size(), workspace, planar_.tables.data(),
                         planar_.results(), stream_.get());
  }

  void echo(const Turns<JpegScanTurn>& turns) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const JpegScanTurn& turn = turns[i];
      check(
          cudaMemcpyAsync(turn.out, turn.data, turn.bytes, cudaMemcpyDeviceToDevice, stream_.get()),
          "JPEGs on the device");
      lossless_.results()[i] = {.faults = {}, .bytes = turn.bytes, .src_bytes = turn.bytes};
    }
  }

  void fetch(std::span<const Picture> pictures, const BatchTurns& turns) {
    struct Output {
      const void* data;
      const JpegResult& made;
      const JpegPlanarResult* planar;
    };
    std::size_t lossless = 0, planar = 0;  // turns of the pictures before
    for (const Picture& picture : pictures) {
      ScanWork& work = *picture.work;
      std::vector<Output> outputs;
      for (std::size_t i = 0; i < work.lossless.size(); ++i, ++lossless)
        outputs.push_back({turns.lossless[lossless].out, lossless_.results()[lossless], nullptr});
      for (std::size_t i = 0; i < work.planar.size(); ++i, ++planar) {
        const JpegPlanarResult& made = planar_.results()[planar];
        outputs.push_back({turns.planar[planar].out, made.scan, &made});
      }
      const auto has_faults = [](const Output& output) { return output.made.faults.any(); };
      if (std::ranges::any_of(outputs, has_faults)) continue;
      work.data_bytes = outputs.front().made.src_bytes;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const Bytes head = work.head(i, outputs[i].planar);
        FileBytes& file = work.pictures[i];
        file.resize(head.size() + outputs[i].made.bytes);
        std::ranges::copy(head, file.begin());
        check(cudaMemcpyAsync(file.data() + head.size(), outputs[i].data, outputs[i].made.bytes,
                              cudaMemcpyDeviceToHost, stream_.get()),
              "JPEGs from the device");
      }
    }
    event_.wait_for(stream_.get(), "JPEGs from the device");
  }

  std::uint64_t memory_bytes_;
  bool runs_kernels_;
  CudaStream stream_;
  CudaEvent event_;
  DeviceBuffer memory_;
  std::size_t workspace_at_ = 0;
  HostSide<JpegResult> lossless_;
  HostSide<JpegPlanarResult> planar_;
};

Batches::Worker make_worker(int device, bool runs_kernels) {
  use_device(device);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "the device's memory");
  const std::uint64_t bytes = free / memory_share;
  const auto worker = std::make_shared<ScanWorker>(bytes, runs_kernels);
  return {[worker, device](auto batch, const auto& enqueued, const auto& done) {
            try {
              worker->run(batch, enqueued, done);
            } catch (const CudaError& error) {
              throw DeviceLost(fmt::format("cuda:{} failed ({})", device, error.what()));
            }
          },
          bytes};
}

class ScanDevice final : public JpegDevice {
 public:
  ScanDevice(const std::vector<int>& devices, const ScanDeviceLimits& limits, SpareBytes& spare,
             const std::atomic<bool>& stop)
      : first_(devices.front()),
        spare_(spare),
        page_locked_(limits.page_locked_bytes),
        batches_(batch_limits, workers(devices, limits.runs_kernels), stop) {}

  std::optional<JpegMade> turn(const JpegRequest& request) override {
    std::optional<ScanWork> asked;
    try {
      asked.emplace(request);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
    ScanWork& work = *asked;
    FileBytes staged;
    if (!page_locked_.has(work.data.data())) {
      staged = page_locked(work.data.size());
      if (staged.capacity() > 0) {
        staged.append(work.data);
        work.data = staged;
      }
    }
    for (std::size_t i = 0; i < request.outputs(); ++i)
      work.pictures.push_back(memory(request.head_bytes + turned_capacity(request.data.size())));
    batches_.do_work(work);
    if (work.data_bytes == 0) return std::nullopt;
    return JpegMade{std::move(work.pictures), work.data_bytes};
  }

  FileBytes memory(std::size_t bytes) override {
    FileBytes found = page_locked(bytes);
    // The device takes other memory, too, and more time for it.
    if (found.capacity() == 0) found = spare_.take(bytes);
    return found;
  }

  bool is_of_use() override { return batches_.is_of_use(); }
  std::string take_problem() override { return batches_.take_problem(); }

 private:
  // None if there is no more. A device that fails says so when it starts.
  FileBytes page_locked(std::size_t bytes) try {
    check(cudaSetDevice(first_), "the device");
    return page_locked_.take(bytes);
  } catch (const CudaError&) {
    return {};
  }

  static std::vector<Batches::MakeWorker> workers(const std::vector<int>& devices,
                                                  bool runs_kernels) {
    std::vector<Batches::MakeWorker> all;
    for (int i = 0; i < workers_per_device; ++i) {
      for (const int device : devices) {
        all.push_back({device, [=] { return make_worker(device, runs_kernels); }});
      }
    }
    return all;
  }

  const int first_;
  SpareBytes& spare_;
  PageLockedPool page_locked_;
  Batches batches_;
};

}  // namespace

std::uint64_t device_bytes(const JpegRequest& request) { return ScanWork(request).device_bytes; }

std::unique_ptr<JpegDevice> make_scan_device(const std::vector<int>& devices,
                                             const ScanDeviceLimits& limits, SpareBytes& spare,
                                             const std::atomic<bool>& stop) {
  return std::make_unique<ScanDevice>(devices, limits, spare, stop);
}

}  // namespace qturn
