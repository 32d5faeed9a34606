// The bound: kernels that only copy.
#ifndef QTURN_TOOLS_BENCH_COPY_KERNELS_HPP
#define QTURN_TOOLS_BENCH_COPY_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

namespace qturn::bench {

/// One 16-byte load and store a thread, the fastest of the simple ones. Rounds `bytes` up to 16;
/// addresses are multiples of 16.
void copy_linear(const void* src, void* dst, std::int64_t bytes, cudaStream_t stream);

/// The same over rows of `row_bytes`, rounded up to 16; addresses and pitch are multiples of 16.
void copy_pitched(const void* src, void* dst, std::int64_t row_bytes, std::int64_t rows,
                  std::int64_t pitch, cudaStream_t stream);

void fill_random(void* memory, std::int64_t bytes, cudaStream_t stream);

}  // namespace qturn::bench

#endif  // QTURN_TOOLS_BENCH_COPY_KERNELS_HPP
