// Launches, alone or overlapping the kernel before them in the stream.
//
// From compute capability 9.0 on, a kernel may start as soon as the last blocks of the kernel
// before leave room. Its blocks then wait until that kernel is done and its writes are visible.
// While they wait, memory has less and less to do, because the other kernel ends. A prefetch into
// the second-level cache uses that time. A prefetch delivers no values, so it need not wait: all
// multiprocessors share that cache, and the kernel before writes there too. Only the blocks that
// are resident at the start wait; later ones start when memory is busy, and do not prefetch. The
// copy engine takes a row of a tile at a time, which is best for a few long rows, as long as hardly
// an instruction is spent on each: with the bounds of ragged ones worked out in a loop, 4096x4096
// pixels of 1 byte fell to 92 %. Short rows are asked for line by line.
//
// On an H200, transposing, without and with (% of a copy, 2026-11-22):
//
//                1 byte          2 bytes         4 bytes        6 bytes        8 bytes
//   8192x8192    97.4   98.8     96.4   97.3     97.1   97.4    96.0   96.5    96.9   97.3
//   4096x4096    97.9  101.8     97.2   99.6     97.4   99.3    94.8   96.4    97.4   98.1
//   6000x4000    91.7   92.7     95.5   95.7     96.0   96.3    93.3   94.1    96.9   97.5
//   1920x1080    78.8   81.9     97.3  109.9                    95.9   99.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "kernels/src/cuda/check.hpp"
#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/device_traits.hpp"
#include "kernels/src/cuda/tuning.cuh"

namespace qturn::device {

/// Enqueues `kernel(arguments...)`; throws CudaError if that fails. Unlike cudaGetLastError() it
/// does not mistake an earlier error of the caller's for its own. Arguments are handed on by
/// address: a batch's have 32 KB, which cudaLaunchKernelEx() would copy once more.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared_bytes,
            cudaStream_t stream, bool overlapping,
            const std::type_identity_t<Parameters>&... arguments) {
  require_stream_of_current_device(stream);
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = overlapping ? 1 : 0;
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), addresses));
}

/// What `ask(table)` says of the table that `kernel` was compiled with, and all others of its file.
template <class Kernel, class Ask>
auto tuning_of(Kernel* kernel, Ask ask) {
  return with_tuning(compiled_architecture(reinterpret_cast<const void*>(kernel)), ask);
}

/// What a kernel does before it reads or writes global memory, if launch_overlapping() started it:
/// it permits the next kernel of the stream to start while the last blocks of this one still run,
/// and waits until the kernel before is done and its writes are visible. (The other way round
/// 1920x1080 pixels of 4 bytes lose 3 points.) Between the two it calls `meanwhile()`, which may
/// prefetch but neither read nor write. Blocks that have nothing to do may leave instead, as long
/// as one of the kernel's waits.
template <class Meanwhile>
__device__ __forceinline__ void wait_for_previous_kernel([[maybe_unused]] Meanwhile meanwhile) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  meanwhile();
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void wait_for_previous_kernel() {
  wait_for_previous_kernel([] {});
}

/// How many blocks of a kernel are resident at the start, and so may have to wait. 0 if kernels do
/// not overlap.
inline unsigned waiting_blocks(const DeviceTraits& gpu, int threads) {
  if (!gpu.overlaps_kernels) return 0;
  return static_cast<unsigned>(gpu.multiprocessors * (gpu.resident_threads / threads));
}

/// Whether this block is one of the first `count` that are started.
__device__ __forceinline__ bool is_among_first(unsigned count) {
  return blockIdx.z == 0 && blockIdx.y * gridDim.x + blockIdx.x < count;
}

/// Like launch(), for a kernel that calls wait_for_previous_kernel(): it may start while the last
/// blocks of the kernel before it in the stream still run, so little time is lost between launches.
/// On an H200 1920x1080 pixels of 4 bytes went from 95 % of a copy to 105, 4096^2 pixels of 2 bytes
/// from 94 to 96 (2026-11-21).
template <class... Parameters>
void launch_overlapping(void (*kernel)(Parameters...), dim3 grid, int threads,
                        std::size_t shared_bytes, cudaStream_t stream,
                        const std::type_identity_t<Parameters>&... arguments) {
  launch(kernel, grid, threads, shared_bytes, stream,
         may_overlap(reinterpret_cast<const void*>(kernel)), arguments...);
}

/// Without dynamic shared memory.
template <class... Parameters>
void launch_overlapping(void (*kernel)(Parameters...), dim3 grid, int threads, cudaStream_t stream,
                        const std::type_identity_t<Parameters>&... arguments) {
  launch_overlapping(kernel, grid, threads, 0, stream, arguments...);
}

}  // namespace qturn::device
