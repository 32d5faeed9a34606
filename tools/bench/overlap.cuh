// Launches that overlap the kernel before them in the stream: programmatic dependent launch (PDL).
//
// A kernel started by launch_overlapping() may start as soon as the last blocks of the kernel
// before it leave room. It has to wait before it touches what that kernel wrote, and the wait
// exists only in code that was compiled for compute capability 9.0 or later. So the compiled kernel
// is asked, not the device: PTX for 8.0 that the driver compiles for a newer GPU has no wait.
#pragma once

#include <cuda_runtime.h>

#include "tools/bench/gpu_owners.hpp"

namespace qturn::bench {

/// Permits the next kernel to start. Calls `meanwhile()`, which must neither read nor write. Waits
/// until the kernel before is done and its writes are visible.
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

/// Enqueues a kernel that calls wait_for_previous_kernel().
template <class... Parameters, class... Arguments>
void launch_overlapping(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                        Arguments... arguments) {
  cudaFuncAttributes compiled{};
  must(cudaFuncGetAttributes(&compiled, kernel));
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = compiled.ptxVersion >= 90 ? 1 : 0;
  must(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

}  // namespace qturn::bench
