// How the kernels are timed.
//
// A batch is a graph of launches, one after the other, between two events. So neither the host time
// of a launch nor the resolution of the events matters. Each launch uses other buffers, until they
// are more than the second-level cache holds.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "tools/bench/cases.hpp"
#include "tools/bench/gpu_owners.hpp"

namespace qturn::bench {

/// How many launches make a batch whose buffers are `stride` bytes apart: about 750 MB, so that a
/// batch takes some tenths of a millisecond and does not fit a cache. For small pictures 1000, or
/// as many as the second-level cache holds, up to 10,000; they cost as much as a launch anyway.
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
  /// Enqueues a launch on the stream; `slot` chooses the buffers.
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

  /// Launches with slots 0 to `launches` - 1. Each moves `bytes` (read plus written).
  Rate rate(const Launch& launch, std::int64_t launches, std::int64_t bytes, int batches) {
    return rate_of(seconds_of(launch, launches, batches), static_cast<double>(bytes * launches));
  }

  /// The same, but each launch follows a foreign kernel that does not overlap. The time of as many
  /// launches of the foreign kernel alone is subtracted.
  Rate rate_after(const Launch& foreign, const Launch& launch, std::int64_t launches,
                  std::int64_t bytes, int batches) {
    std::vector<double> alone = seconds_of(foreign, launches, batches);
    std::sort(alone.begin(), alone.end());
    std::vector<double> seconds = seconds_of(
        [&](std::int64_t slot, cudaStream_t stream) {
          foreign(slot, stream);
          launch(slot, stream);
        },
        launches, batches);
    for (double& both : seconds) both -= alone[alone.size() / 2];
    return rate_of(seconds, static_cast<double>(bytes * launches));
  }

 private:
  // The seconds of each batch.
  std::vector<double> seconds_of(const Launch& launch, std::int64_t launches, int batches) {
    // First outside of the capture, so that kernels can be loaded.
    launch(0, stream_);
    must(cudaStreamSynchronize(stream_));
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
    return seconds;
  }

  GpuStream stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace qturn::bench
