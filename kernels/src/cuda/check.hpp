#pragma once

#include <cuda_runtime_api.h>

namespace qturn {

/// Throws CudaError, which names the caller's file and line, unless `code` is cudaSuccess.
/// (clang-tidy 14 cannot parse std::source_location.)
void check(cudaError_t code, const char* file = __builtin_FILE(), int line = __builtin_LINE());

}  // namespace qturn
