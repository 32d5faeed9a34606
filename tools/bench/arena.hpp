// Memory for what is measured on a GPU, and the copies it is compared with.
#pragma once

#include <algorithm>
#include <string>

#include "tools/bench/copy_kernels.hpp"
#include "tools/bench/entries.hpp"
#include "tools/bench/gpu_timer.hpp"

namespace qturn::bench {

/// How many bytes the kernel copies after which others are measured: as many as they move, but not
/// so many that its own time dominates.
inline std::int64_t foreign_bytes(std::int64_t bytes) {
  return std::min<std::int64_t>(bytes, 64 << 20);
}

/// Two large pieces of memory. Each launch takes another part of them.
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
    const Rate kernel =
        timer.rate(copying(count, stride), launches_of_a_batch(stride), 2 * count, batches);
    const Rate library = timer.rate(
        [&](std::int64_t slot, cudaStream_t stream) {
          must(cudaMemcpyAsync(dst.at(slot * stride), src.at(slot * stride),
                               static_cast<std::size_t>(count), cudaMemcpyDeviceToDevice, stream));
        },
        launches_of_a_batch(stride), 2 * count, batches);
    by = kernel.median >= library.median ? "copy kernel" : "cudaMemcpyAsync";
    return kernel.median >= library.median ? kernel : library;
  }

  /// Fills in the bound of a result that reads and writes `count` bytes each.
  void measure_bound(EntryResult& result, std::int64_t count, std::int64_t stride, int batches) {
    result.bound = copy(count, stride, batches, result.bound_by);
    result.bound_after_foreign = timer.rate_after(foreign(count, stride), copying(count, stride),
                                                  launches_of_a_batch(stride), 2 * count, batches);
  }

  /// Fills in the rates of `launch`, which moves `moved` bytes, read plus written.
  void measure(EntryResult& result, const GpuTimer::Launch& launch, std::int64_t moved,
               std::int64_t stride, int batches) {
    const std::int64_t launches = launches_of_a_batch(stride);
    result.rate = timer.rate(launch, launches, moved, batches);
    result.after_foreign =
        timer.rate_after(foreign(moved / 2, stride), launch, launches, moved, batches);
  }

 private:
  GpuTimer::Launch copying(std::int64_t count, std::int64_t stride) const {
    return [this, count, stride](std::int64_t slot, cudaStream_t stream) {
      copy_linear(src.at(slot * stride), dst.at(slot * stride), count, stream);
    };
  }

  // A launch in memory that the next launch does not use, so that it warms no cache for it.
  GpuTimer::Launch foreign(std::int64_t count, std::int64_t stride) const {
    const std::int64_t launches = launches_of_a_batch(stride);
    return [=, this](std::int64_t slot, cudaStream_t stream) {
      const std::int64_t other = (slot + launches / 2) % launches;
      copy_alone(src.at(other * stride), dst.at(other * stride), foreign_bytes(count), stream);
    };
  }
};

}  // namespace qturn::bench
