#ifndef QTURN_KERNELS_LAUNCH_CUH
#define QTURN_KERNELS_LAUNCH_CUH

#include <cuda_runtime.h>

#include <cstddef>
#include <source_location>

#include "kernels/src/cuda_check.hpp"

namespace qturn::device {

/// Enqueues `kernel(arguments...)`; throws CudaError if that fails. Unlike cudaGetLastError() it
/// does not mistake an earlier error of the caller's for its own.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared_bytes,
            cudaStream_t stream, Parameters... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_LAUNCH_CUH
