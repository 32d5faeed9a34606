// Bytes of data, gathered in shared memory by all threads of a block and copied from there.
//
// They lie as they will lie in memory, relative to granules of 16 bytes, so that whole granules are
// copied. Each thread adds words to them, not bytes; those that it shares with its neighbours begin
// as 0, like all others.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/jpeg/src/machine.hpp"
#include "kernels/src/cuda/device_memory.cuh"

namespace qturn::jpeg {

inline constexpr std::uint32_t granule_bytes = device::granule;

/// Copies words to shared memory. All threads of the block call it, and wait after it.
template <class Word = std::uint32_t>
__device__ void copy_words(const void* from, void* to, std::uint32_t count) {
#pragma unroll(sizeof(Word) == 4 ? 8 : 4)
  for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
  }
}

/// Where the first byte has to be staged that is copied to `to`.
__device__ inline std::uint32_t staged_begin(const std::uint8_t* to) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % granule_bytes);
}

/// At least `bytes` from the start on become 0. All threads of the block call it, and wait after
/// it.
__device__ inline void clear_staged(std::uint32_t* staged, std::uint32_t bytes) {
  for (std::uint32_t i = threadIdx.x; i * granule_bytes < bytes; i += blockDim.x) {
    reinterpret_cast<uint4*>(staged)[i] = {};
  }
}

/// Copies `count` bytes that begin at staged_begin(to). All threads of the block call it.
__device__ inline void copy_staged(const std::uint32_t* staged, std::uint8_t* to,
                                   std::uint32_t count) {
  const std::uint32_t begin = staged_begin(to), end = begin + count;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(staged);
  for (std::uint32_t at = threadIdx.x * granule_bytes; at < end; at += blockDim.x * granule_bytes) {
    device::store_between(to - begin + at, device::load_granule(bytes + at),
                          static_cast<int>(begin - at), static_cast<int>(end - at));
  }
}

/// Copies `count` bytes from the start of `staged`, a multiple of 16, to any address. All threads
/// of a warp call it. The word after the last one may be read.
__device__ inline void store_by_warp(const std::uint32_t* staged, std::uint8_t* to,
                                     std::uint32_t count) {
  constexpr std::uint32_t warp_threads = 32;
  const std::uint32_t begin = staged_begin(to), end = begin + count;
  std::uint8_t* granules = to - begin;
  for (std::uint32_t at = threadIdx.x % warp_threads * granule_bytes; at < end;
       at += warp_threads * granule_bytes) {
    if (at >= begin && at + granule_bytes <= end) {
      const std::uint32_t* from = staged + (at - begin) / sizeof(std::uint32_t);
      const std::uint32_t shift = (at - begin) % sizeof(std::uint32_t) * 8;
      uint4 granule;
      if (begin == 0) {
        granule = *reinterpret_cast<const uint4*>(from);
      } else {
        granule = {
            __funnelshift_r(from[0], from[1], shift), __funnelshift_r(from[1], from[2], shift),
            __funnelshift_r(from[2], from[3], shift), __funnelshift_r(from[3], from[4], shift)};
      }
      *reinterpret_cast<uint4*>(granules + at) = granule;
      continue;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(staged);
    for (std::uint32_t i = max(at, begin); i < min(at + granule_bytes, end); ++i) {
      granules[i] = bytes[i - begin];
    }
  }
}

/// Adds a thread's bytes to the staged ones.
class BytePacker {
 public:
  /// From byte `at` on.
  __device__ BytePacker(std::uint32_t* staged, std::uint32_t at)
      : words_(staged + at / sizeof(std::uint32_t)), open_(at % sizeof(std::uint32_t) * 8) {}

  /// Up to four bytes, the first one lowest, the others 0.
  __device__ void put(std::uint32_t bytes, std::uint32_t count) {
    waiting_ |= std::uint64_t{bytes} << open_;
    open_ += 8 * count;
    if (open_ < 32) return;
    add_bits(*words_++, static_cast<std::uint32_t>(waiting_));
    waiting_ >>= 32;
    open_ -= 32;
  }
  __device__ void end() const {
    if (open_ != 0) add_bits(*words_, static_cast<std::uint32_t>(waiting_));
  }

 private:
  std::uint32_t* words_;
  std::uint32_t open_;  ///< bits of the open word: this thread's and, before them, other threads'
  std::uint64_t waiting_ = 0;
};

}  // namespace qturn::jpeg
