// How the kernels are timed.
//
// A batch is a graph of launches, one after the other, between two events: so neither the host's
// time for a launch nor the events' own resolution matters. Each launch has other buffers, until
// more than the second-level cache holds has gone by.
#ifndef QTURN_TOOLS_BENCH_GPU_TIMER_HPP
#define QTURN_TOOLS_BENCH_GPU_TIMER_HPP

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/bench/cases.hpp"
#include "tools/bench/copy_kernels.hpp"
#include "tools/bench/gpu_owners.hpp"

namespace qturn::bench {

/// How many launches make a batch, whose buffers lie `stride` bytes apart: about 750 MB, so that a
/// batch lasts some tenths of a millisecond and outlasts every cache. Of small pictures 1000, or as
/// many as the second-level cache holds, up to 10,000: then its price is that of a launch anyway.
inline std::int64_t launches_of_a_batch(std::int64_t stride) {
  int device = 0;
  int cache_bytes = 0;
  must(cudaGetDevice(&device));
  must(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, device));
  const std::int64_t most = std::clamp<std::int64_t>(cache_bytes / stride, 1000, 10000);
  return std::clamp<std::int64_t>(750'000'000 / stride, 2, most);
}

class GpuTimer {
 public:
  /// Enqueues a launch on the stream; `slot` says which buffers.
  using Launch = std::function<void(std::int64_t slot, cudaStream_t stream)>;

  GpuTimer() {
    must(cudaEventCreate(&begin_));
    must(cudaEventCreate(&end_));
  }
  ~GpuTimer() {
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
  }
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  cudaStream_t stream() const { return stream_; }

  /// Launches with slots 0 to `launches` - 1, each of which moves `bytes` (read plus written).
  Rate rate(const Launch& launch, std::int64_t launches, std::int64_t bytes, int batches) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t batch = nullptr;
    must(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    try {
      for (std::int64_t i = 0; i < launches; ++i) launch(i, stream_);
    } catch (...) {
      cudaStreamEndCapture(stream_, &graph);
      cudaGraphDestroy(graph);
      throw;
    }
    must(cudaStreamEndCapture(stream_, &graph));
    must(cudaGraphInstantiate(&batch, graph, 0));
    std::vector<double> seconds;
    constexpr int warm_ups = 3;
    for (int i = -warm_ups; i < batches; ++i) {
      must(cudaEventRecord(begin_, stream_));
      must(cudaGraphLaunch(batch, stream_));
      must(cudaEventRecord(end_, stream_));
      must(cudaEventSynchronize(end_));
      float milliseconds = 0;
      must(cudaEventElapsedTime(&milliseconds, begin_, end_));
      if (i >= 0) seconds.push_back(milliseconds / 1e3);
    }
    must(cudaGraphExecDestroy(batch));
    must(cudaGraphDestroy(graph));
    return rate_of(seconds, static_cast<double>(bytes * launches));
  }

 private:
  GpuStream stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Two large pieces of memory, of which each launch takes another part.
struct Arena {
  static constexpr std::int64_t bytes = 1 << 30;
  GpuMemory src{bytes};
  GpuMemory dst{bytes};
  GpuTimer timer;

  Arena() {
    fill_random(src.at(0), bytes, timer.stream());
    fill_random(dst.at(0), bytes, timer.stream());
    must(cudaStreamSynchronize(timer.stream()));
  }

  /// The better of a copy kernel and cudaMemcpyAsync over as many bytes; `by` says which.
  Rate copy(std::int64_t count, std::int64_t stride, int batches, std::string& by) {
    const Rate kernel = timer.rate(
        [&](std::int64_t slot, cudaStream_t stream) {
          copy_linear(src.at(slot * stride), dst.at(slot * stride), count, stream);
        },
        launches_of_a_batch(stride), 2 * count, batches);
    const Rate library = timer.rate(
        [&](std::int64_t slot, cudaStream_t stream) {
          must(cudaMemcpyAsync(dst.at(slot * stride), src.at(slot * stride),
                               static_cast<std::size_t>(count), cudaMemcpyDeviceToDevice, stream));
        },
        launches_of_a_batch(stride), 2 * count, batches);
    by = kernel.median >= library.median ? "copy kernel" : "cudaMemcpyAsync";
    return kernel.median >= library.median ? kernel : library;
  }
};

}  // namespace qturn::bench

#endif  // QTURN_TOOLS_BENCH_GPU_TIMER_HPP
