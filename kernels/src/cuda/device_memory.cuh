// The few machine operations that the kernels consist of, each wrapped once: memory accesses by
// width, asynchronous copies into shared memory, division by a number known before the launch. And
// the description of a picture's place in memory that all of them use.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace qturn::device {

using Byte = unsigned char;

/// 16 bytes: what one thread moves with one instruction.
inline constexpr int granule = 16;

/// Threads that one multiprocessor holds, by what __CUDA_ARCH__ is. 10.1 is an older name of 11.0.
__host__ __device__ constexpr int resident_threads_of(int architecture) {
  if (architecture < 800) return 1024;
  if (architecture == 800 || (architecture >= 900 && architecture < 1010)) return 2048;
  return architecture >= 1020 && architecture < 1100 ? 2048 : 1536;
}
static_assert(resident_threads_of(750) == 1024 && resident_threads_of(800) == 2048 &&
              resident_threads_of(860) == 1536 && resident_threads_of(890) == 1536 &&
              resident_threads_of(900) == 2048 && resident_threads_of(1000) == 2048 &&
              resident_threads_of(1010) == 1536 && resident_threads_of(1030) == 2048 &&
              resident_threads_of(1100) == 1536 && resident_threads_of(1200) == 1536);

/// The same for the architecture that is compiled. Kernels use so few registers per thread that
/// this many threads fit.
#ifdef __CUDA_ARCH__
inline constexpr int resident_threads = resident_threads_of(__CUDA_ARCH__);
#else
inline constexpr int resident_threads = 2048;
#endif

/// The number of a thread in its block, to be asked for wherever it is needed: held in a register
/// from the beginning to the end of a tile, it cost the batches of aligned pictures 1 to 4 points.
struct ThisThread {
  __device__ __forceinline__ int operator()() const { return static_cast<int>(threadIdx.x); }
};

/// The bytes of a picture, from its first to its last in memory. Copies read whole granules as far
/// as they lie in it.
struct Extent {
  const Byte* begin;
  const Byte* end;
};

__host__ __device__ inline Extent extent(const Byte* data, std::int64_t pitch, std::int64_t height,
                                         std::int64_t row_bytes) {
  const Byte* last_row = data + (height - 1) * pitch;
  return pitch < 0 ? Extent{last_row, data + row_bytes} : Extent{data, last_row + row_bytes};
}

/// How many rounds all threads of a block need for `work`. The compiler unrolls a loop with this
/// constant completely, but not a loop that checks whether work is left.
__host__ __device__ constexpr int rounds(int work, int threads) {
  return (work + threads - 1) / threads;
}

template <int bytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Type = std::uint8_t;
};
template <>
struct WordOf<2> {
  using Type = std::uint16_t;
};
template <>
struct WordOf<4> {
  using Type = std::uint32_t;
};
template <>
struct WordOf<8> {
  using Type = uint2;
};
template <>
struct WordOf<16> {
  using Type = uint4;
};
template <int bytes>
using Word = typename WordOf<bytes>::Type;

/// The size of the widest word, up to 16 bytes, that divides `bytes`.
__host__ __device__ constexpr int word_bytes(int bytes) {
  int word = granule;
  while (bytes % word != 0) word /= 2;
  return word;
}

template <int bytes>
__device__ __forceinline__ Word<bytes> load(const Byte* from) {
  return *reinterpret_cast<const Word<bytes>*>(from);
}

template <int bytes>
__device__ __forceinline__ void store(Byte* to, Word<bytes> word) {
  *reinterpret_cast<Word<bytes>*>(to) = word;
}

/// Four 32-bit words that make up a granule, by static index only, so that they stay in registers.
struct Granule {
  std::uint32_t word[4];
};

__device__ __forceinline__ void store_granule(Byte* to, const Granule& value) {
  store<16>(to, make_uint4(value.word[0], value.word[1], value.word[2], value.word[3]));
}

__device__ __forceinline__ Granule load_granule(const Byte* from) {
  const uint4 all = load<16>(from);
  return {{all.x, all.y, all.z, all.w}};
}

/// Stores the bytes from `begin` on to before `end` of a granule, at least one, in words as wide as
/// fit: an end of it takes four at most.
__device__ __forceinline__ void store_cut(Byte* to, const Granule& value, int begin, int end) {
  std::uint32_t word[4] = {value.word[0], value.word[1], value.word[2], value.word[3]};
  if (begin == 0) {
    if ((end & 8) != 0) {
      store<8>(to, make_uint2(word[0], word[1]));
      word[0] = word[2];
      word[1] = word[3];
    }
    if ((end & 4) != 0) {
      store<4>(to + (end & 8), word[0]);
      word[0] = word[1];
    }
    if ((end & 2) != 0) {
      store<2>(to + (end & 12), static_cast<std::uint16_t>(word[0]));
      word[0] >>= 16;
    }
    if ((end & 1) != 0) store<1>(to + (end & 14), static_cast<Byte>(word[0]));
  } else if (end == granule) {
    const int count = granule - begin;
    Byte* last = to + granule;
    if ((count & 8) != 0) {
      store<8>(last - 8, make_uint2(word[2], word[3]));
      word[2] = word[0];
      word[3] = word[1];
    }
    if ((count & 4) != 0) {
      store<4>(last - (count & 12), word[3]);
      word[3] = word[2];
    }
    if ((count & 2) != 0) {
      store<2>(last - (count & 14), static_cast<std::uint16_t>(word[3] >> 16));
      word[3] <<= 16;
    }
    if ((count & 1) != 0) store<1>(last - count, static_cast<Byte>(word[3] >> 24));
  } else {
#pragma unroll
    for (int at = 0; at < granule; ++at) {
      if (at >= begin && at < end) to[at] = static_cast<Byte>(word[at / 4] >> (at % 4 * 8));
    }
  }
}

/// The same of a granule that may lie outside of them.
template <class Place>
__device__ __forceinline__ void store_between(Byte* to, const Granule& value, Place begin,
                                              Place end) {
  if (begin <= 0 && end >= granule) {
    store_granule(to, value);
  } else if (begin < granule && end > 0) {
    store_cut(to, value, begin > 0 ? static_cast<int>(begin) : 0,
              end < granule ? static_cast<int>(end) : granule);
  }
}

/// Stores a granule at byte `at` of a row of `row_bytes`, as far as it lies in it: with a byte at
/// least.
__device__ __forceinline__ void store_in_row(Byte* row, const Granule& value, std::int64_t at,
                                             std::int64_t row_bytes) {
  if (at >= 0 && at + granule <= row_bytes) {
    store_granule(row + at, value);
  } else {
    const std::int64_t left = row_bytes - at;
    store_cut(row + at, value, at < 0 ? static_cast<int>(-at) : 0,
              left < granule ? static_cast<int>(left) : granule);
  }
}

/// Starts a copy of 16 aligned bytes into shared memory and asks the second-level cache to fetch
/// the whole `prefetch` bytes (0, 128 or 256) around them.
template <int prefetch>
__device__ __forceinline__ void start_copy(Byte* shared, const Byte* global) {
#if __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (prefetch == 256) {
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(to), "l"(global)
                 : "memory");
  } else if constexpr (prefetch == 128) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(global)
                 : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  }
#else
  store<16>(shared, load<16>(global));
#endif
}

/// The same at the ends of the readable memory: only the bytes from `begin` to before `end` of the
/// 16 are copied, and the others stay as they were.
template <int prefetch>
__device__ __forceinline__ void start_copy_between(Byte* shared, const Byte* global,
                                                   const Byte* begin, const Byte* end) {
  if (global >= begin && global + granule <= end) {
    start_copy<prefetch>(shared, global);
  } else {
#pragma unroll 1
    for (int at = 0; at < granule; ++at) {
      if (global + at >= begin && global + at < end) shared[at] = global[at];
    }
  }
}

/// Starts a copy of 8 aligned bytes into shared memory.
__device__ __forceinline__ void start_copy_of_eight(Byte* shared, const Byte* global) {
#if __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(global) : "memory");
#else
  store<8>(shared, load<8>(global));
#endif
}

/// Asks the second-level cache to fetch a row of aligned granules. This is not a read: a later read
/// sees everything that was written before it.
template <int bytes>
__device__ __forceinline__ void prefetch_row([[maybe_unused]] const Byte* global) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
#endif
}

/// The same for the line that byte `in` lies in.
__device__ __forceinline__ void prefetch_line([[maybe_unused]] const Byte* in) {
#if __CUDA_ARCH__ >= 900
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in) : "memory");
#endif
}

/// Waits until the copies that the whole block started have arrived.
__device__ __forceinline__ void finish_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncthreads();
}

/// Waits until the copies that the warp started have arrived.
__device__ __forceinline__ void finish_copies_of_warp() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncwarp();
}

/// `low` has bytes 0 to 3, `high` bytes 4 to 7. Hexadecimal digit i of `selector` names the byte
/// that becomes byte i of the result.
__device__ __forceinline__ std::uint32_t pick(std::uint32_t low, std::uint32_t high,
                                              std::uint32_t selector) {
  return __byte_perm(low, high, selector);
}

/// The `count` words that begin `phase` (0 to 15) bytes into `in`.
template <int count, int size>
__device__ __forceinline__ void take_window(const std::uint32_t (&in)[size], unsigned phase,
                                            std::uint32_t (&words)[count]) {
  static_assert(size >= count + 4);
  std::uint32_t by_two[count + 2];
  std::uint32_t by_one[count + 1];
#pragma unroll
  for (int i = 0; i < count + 2; ++i) by_two[i] = (phase & 8) != 0 ? in[i + 2] : in[i];
#pragma unroll
  for (int i = 0; i < count + 1; ++i) by_one[i] = (phase & 4) != 0 ? by_two[i + 1] : by_two[i];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    words[i] = __funnelshift_r(by_one[i], by_one[i + 1], phase * 8);
  }
}

/// Divides numbers before `end` by a multiplication (Granlund and Montgomery, 1994), if that is not
/// above 2^31.
struct Divisor {
  std::uint32_t divisor;
  std::uint32_t factor;  // 0 where `end` is above
  std::uint32_t shift;

  Divisor() = default;
  __host__ __device__ explicit Divisor(std::int64_t by, std::int64_t end = std::int64_t{1} << 31)
      : divisor(static_cast<std::uint32_t>(by)), factor(0), shift(0) {
    if (end > std::int64_t{1} << 31) return;
    while (std::uint64_t{1} << shift < divisor) ++shift;
    factor = static_cast<std::uint32_t>((std::uint64_t{1} << (31 + shift)) / divisor + 1);
  }

  /// The factor is up to 1 more than 2^(31 + shift) / divisor, so the product is too large by less
  /// than the fraction that is cut off.
  __device__ __forceinline__ std::uint32_t quotient(std::uint32_t number) const {
    return __umulhi(number * 2, factor) >> shift;
  }
  /// The same whatever `end` is.
  __device__ __forceinline__ std::uint32_t quotient_of_any(std::uint32_t number) const {
    return factor != 0 ? quotient(number) : number / divisor;
  }
};

}  // namespace qturn::device
