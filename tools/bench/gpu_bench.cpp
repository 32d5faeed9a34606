// How the kernels are timed.
//
// A batch is a graph of launches, one after the other, between two events: so neither the host's
// time for a launch nor the events' own resolution matters. Each launch has other buffers, until
// more than the second-level cache holds has gone by. The median of the batches counts. The bound
// is measured in the same way, for the same bytes, just before.
#include <qturn/cuda.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "tools/bench/bench.hpp"
#include "tools/bench/copy_kernels.hpp"

namespace qturn::bench {
namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

// Enqueues a launch on the stream; `slot` says which buffers.
using Launch = std::function<void(std::int64_t slot, cudaStream_t stream)>;

class Timer {
 public:
  Timer() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  ~Timer() {
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
    cudaStreamDestroy(stream_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  cudaStream_t stream() const { return stream_; }

  // Seconds of each batch of `launches` launches.
  std::vector<double> time(const Launch& launch, std::int64_t launches, int batches) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t batch = nullptr;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    for (std::int64_t i = 0; i < launches; ++i) launch(i, stream_);
    check(cudaStreamEndCapture(stream_, &graph));
    check(cudaGraphInstantiate(&batch, graph, 0));
    std::vector<double> seconds;
    constexpr int warm_ups = 3;
    for (int i = -warm_ups; i < batches; ++i) {
      check(cudaEventRecord(begin_, stream_));
      check(cudaGraphLaunch(batch, stream_));
      check(cudaEventRecord(end_, stream_));
      check(cudaEventSynchronize(end_));
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin_, end_));
      if (i >= 0) seconds.push_back(milliseconds / 1e3);
    }
    check(cudaGraphExecDestroy(batch));
    check(cudaGraphDestroy(graph));
    return seconds;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

class DeviceMemory {
 public:
  explicit DeviceMemory(std::int64_t bytes) {
    check(cudaMalloc(&data_, static_cast<std::size_t>(bytes)));
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  unsigned char* at(std::int64_t offset) const {
    return static_cast<unsigned char*>(data_) + offset;
  }

 private:
  void* data_ = nullptr;
};

// Where the images of a case lie in the two large blocks of memory.
struct Slots {
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t offset;
  std::int64_t stride;  // from one image to the next, in both blocks
  std::int64_t launches;

  explicit Slots(const Case& c) {
    const Size turned = turned_size(c.orientation, {c.shape.width, c.shape.height});
    src_pitch = c.shape.pitch(c.shape.width, c.pixel_bytes);
    dst_pitch = c.shape.pitch(turned.width, c.pixel_bytes);
    offset = c.shape.offset_pixels * c.pixel_bytes;
    const std::int64_t bytes =
        offset + std::max(src_pitch * c.shape.height, dst_pitch * turned.height);
    stride = (bytes + 1023) / 512 * 512;
    // 750 MB of each, so that a batch lasts some tenths of a millisecond and outlasts every cache.
    launches = std::clamp<std::int64_t>(750'000'000 / stride, 2, 1000);
  }
};

constexpr std::int64_t least_block = 1 << 30;

ConstView src_view(const Case& c, const Slots& slots, const DeviceMemory& src, std::int64_t slot) {
  return {src.at(slot * slots.stride + slots.offset), c.shape.width, c.shape.height,
          slots.src_pitch, c.pixel_bytes};
}

View dst_view(const Case& c, const Slots& slots, const DeviceMemory& dst, std::int64_t slot) {
  const Size turned = turned_size(c.orientation, {c.shape.width, c.shape.height});
  return {dst.at(slot * slots.stride + slots.offset), turned.width, turned.height, slots.dst_pitch,
          c.pixel_bytes};
}

// The fastest of what copies the same bytes: a kernel that copies from view to view, and, where
// rows are tight, a kernel and cudaMemcpyAsync that copy aligned memory straight on.
Rate measure_bound(const Case& c, const Slots& slots, const DeviceMemory& src,
                   const DeviceMemory& dst, Timer& timer, int batches, std::string& by) {
  const double bytes = 2.0 * static_cast<double>(c.image_bytes());
  Rate best;
  const auto measure = [&](const char* name, const Launch& launch) {
    const Rate rate = rate_of(timer.time(launch, slots.launches, batches),
                              bytes * static_cast<double>(slots.launches));
    if (rate.median <= best.median) return;
    best = rate;
    by = name;
  };
  const bool tight = c.shape.pitch_multiple == 1;
  if (!tight || c.shape.offset_pixels != 0) {
    measure("copy kernel over views", [&](std::int64_t slot, cudaStream_t stream) {
      copy_views(src_view(c, slots, src, slot), dst_view(c, slots, dst, slot), stream);
    });
  }
  if (tight) {
    measure("copy kernel", [&](std::int64_t slot, cudaStream_t stream) {
      copy_linear(src.at(slot * slots.stride), dst.at(slot * slots.stride), c.image_bytes(),
                  stream);
    });
    measure("cudaMemcpyAsync", [&](std::int64_t slot, cudaStream_t stream) {
      check(cudaMemcpyAsync(dst.at(slot * slots.stride), src.at(slot * slots.stride),
                            static_cast<std::size_t>(c.image_bytes()), cudaMemcpyDeviceToDevice,
                            stream));
    });
  }
  return best;
}

}  // namespace

void measure_gpu(const Plan& plan, int device, const Listener& listener) {
  check(cudaSetDevice(device));
  std::int64_t block = least_block;
  for (const Case& c : plan.cases) {
    const Slots slots(c);
    block = std::max(block, slots.stride * slots.launches);
  }
  DeviceMemory src(block);
  DeviceMemory dst(block);
  Timer timer;
  fill_random(src.at(0), block, timer.stream());
  fill_random(dst.at(0), block, timer.stream());
  check(cudaStreamSynchronize(timer.stream()));

  // A copy depends on the orientation only by the shape of the destination.
  struct Bound {
    std::string shape;
    int pixel_bytes;
    bool swapped;
    Rate rate;
    std::string by;
  };
  std::vector<Bound> bounds;
  for (const Case& c : plan.cases) {
    const Slots slots(c);
    auto bound = std::find_if(bounds.begin(), bounds.end(), [&](const Bound& b) {
      return b.shape == c.shape.text && b.pixel_bytes == c.pixel_bytes &&
             b.swapped == swaps_axes(c.orientation);
    });
    if (bound == bounds.end()) {
      Bound measured{c.shape.text, c.pixel_bytes, swaps_axes(c.orientation), {}, {}};
      measured.rate = measure_bound(c, slots, src, dst, timer, plan.batches, measured.by);
      bound = bounds.insert(bounds.end(), measured);
    }
    const auto launch = [&](std::int64_t slot, cudaStream_t stream) {
      transform(src_view(c, slots, src, slot), dst_view(c, slots, dst, slot), c.orientation,
                stream);
    };
    const double bytes = 2.0 * static_cast<double>(c.image_bytes() * slots.launches);
    const Rate rate = rate_of(timer.time(launch, slots.launches, plan.batches), bytes);
    listener({c, rate, bound->rate, bound->by});
  }
}

double gpu_call_microseconds(int device) {
  check(cudaSetDevice(device));
  const DeviceMemory memory(2 * 64 * 64 * 4);
  const ConstView src{memory.at(0), 64, 64, 256, 4};
  const View dst{memory.at(64 * 64 * 4), 64, 64, 256, 4};
  Timer timer;
  std::vector<double> microseconds;
  for (int round = 0; round < 20; ++round) {
    // Few enough for the launch queue, so that no call waits for the GPU.
    constexpr int calls = 200;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) transform(src, dst, Orientation::rotate90, timer.stream());
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - begin;
    microseconds.push_back(spent.count() / calls);
    check(cudaStreamSynchronize(timer.stream()));
  }
  std::sort(microseconds.begin(), microseconds.end());
  return microseconds[microseconds.size() / 2];
}

}  // namespace qturn::bench
