// Prefix sums over a picture, by one block of threads, step by step. The kernels before it have
// reduced the picture to a few thousand numbers.
#pragma once

#include <cub/block/block_scan.cuh>

#include <cstdint>

#include "kernels/jpeg/src/picture.hpp"

namespace qturn::jpeg {

inline constexpr int sum_threads = 512;

/// Calls store(i, sum of all numbers before i, number i) for i from 0 to `count` - 1, where number
/// i is load(i), and returns the sum of all. All threads of the block call it.
template <class T, class Add, class Load, class Store>
__device__ T sum_in_order(std::uint32_t count, Add add, Load load, Store store) {
  using Scan = cub::BlockScan<T, sum_threads>;
  __shared__ typename Scan::TempStorage scratch;
  T before{};
  for (std::uint32_t first = 0; first < count; first += sum_threads) {
    const std::uint32_t i = first + threadIdx.x;
    const T own = i < count ? load(i) : T{};
    T within, all;
    Scan(scratch).ExclusiveScan(own, within, T{}, add, all);
    if (i < count) store(i, add(before, within), own);
    before = add(before, all);
    __syncthreads();
  }
  return before;
}

__device__ inline void fail(const Picture& picture, JpegFault fault) {
  atomicOr(&picture.progress->faults, static_cast<std::uint32_t>(fault));
}

/// Whether an earlier stage has given the picture up. The answer may change at any moment, so
/// threads that wait for each other must share one (is_given_up()).
__device__ inline bool has_failed(const Picture& picture) {
  return *static_cast<volatile std::uint32_t*>(&picture.progress->faults) != 0;
}

/// The same, one answer for all threads of the block, which must all call this.
__device__ inline bool is_given_up(const Picture& picture) {
  __shared__ bool failed;
  if (threadIdx.x == 0) failed = has_failed(picture);
  __syncthreads();
  return failed;
}

/// The last of `count` ascending numbers that is not above `value`; the first one is not.
__device__ inline std::uint32_t last_up_to(const std::uint32_t* numbers, std::uint32_t count,
                                           std::uint32_t value) {
  std::uint32_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (numbers[middle] <= value ? low : high) = middle;
  }
  return low;
}

}  // namespace qturn::jpeg
