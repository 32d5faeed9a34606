#ifndef QTURN_KERNELS_CUDA_CHECK_HPP
#define QTURN_KERNELS_CUDA_CHECK_HPP

#include <cuda_runtime_api.h>

#include <source_location>

namespace qturn {

/// Throws CudaError, which names the caller's file and line, unless `code` is cudaSuccess.
void check(cudaError_t code, std::source_location where = std::source_location::current());

}  // namespace qturn

#endif  // QTURN_KERNELS_CUDA_CHECK_HPP
