// The bound: kernels that only copy; and a comparison of bytes.
#pragma once

#include <qturn/view.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

namespace qturn::bench {

/// One 16-byte load and store per thread, the fastest of the simple ones. Rounds `bytes` up to 16;
/// addresses are multiples of 16. Overlaps the kernels before and after it (overlap.cuh), as ours
/// do. A copy without overlap is slower for short launches, and not a bound.
void copy_linear(const void* src, void* dst, std::int64_t bytes, cudaStream_t stream);

/// The same without overlap: what most kernels of other libraries are like.
void copy_alone(const void* src, void* dst, std::int64_t bytes, cudaStream_t stream);

/// Copies the pixels of `src` in order to `dst`, which has as many bytes, maybe in rows of another
/// length. A thread moves one word, as wide as addresses, pitches and rows allow. Overlaps as
/// copy_linear() does.
void copy_views(ConstView src, View dst, cudaStream_t stream);

/// Adds to `count`, in device memory, how many of the bytes are not the same. Addresses and `bytes`
/// are multiples of 4.
void count_differing_bytes(const void* a, const void* b, std::int64_t bytes,
                           unsigned long long* count, cudaStream_t stream);

void fill_random(void* memory, std::int64_t bytes, cudaStream_t stream);

}  // namespace qturn::bench
