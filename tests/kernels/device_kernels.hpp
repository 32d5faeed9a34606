// What the tests do on the device by kernels of their own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace qturn::tests {

/// Enqueues a kernel as other libraries have them: at once it lets the next kernel of the stream
/// come in, works for some tenths of a millisecond, and only then copies `bytes` bytes.
void work_then_copy(const void* from, void* to, std::int64_t bytes, cudaStream_t stream);

/// Whether it was compiled for a GPU on which kernels overlap, and runs on one.
bool foreign_kernels_overlap();

/// Fills memory with bytes that look random and are known by their place: byte_at(offset).
void fill_by_place(void* memory, std::int64_t bytes, cudaStream_t stream);

constexpr unsigned char byte_at(std::int64_t offset) {
  // SplitMix64 of the number of the word.
  std::uint64_t z = (static_cast<std::uint64_t>(offset) / 8 + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<unsigned char>((z ^ (z >> 31)) >> (offset % 8 * 8));
}

/// Makes every later call of CUDA on the current device fail.
void lose_device();

/// The first byte in which two pieces of device memory differ, or -1. Waits.
std::int64_t first_difference(const void* a, const void* b, std::int64_t bytes);

}  // namespace qturn::tests
