// The few machine operations that the kernels consist of, each wrapped once: memory accesses by
// width, asynchronous copies into shared memory, division by a number known before the launch. And
// the description of a picture's place in memory that all of them use.
#ifndef QTURN_KERNELS_CUDA_DEVICE_MEMORY_CUH
#define QTURN_KERNELS_CUDA_DEVICE_MEMORY_CUH

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

/// The same of what is compiled. Kernels use so few registers per thread that this many threads
/// fit.
#ifdef __CUDA_ARCH__
inline constexpr int resident_threads = resident_threads_of(__CUDA_ARCH__);
#else
inline constexpr int resident_threads = 2048;
#endif

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

/// The widest word, up to 16 bytes, of which `bytes` bytes are a multiple.
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

/// Stores bytes `begin` to `end` of a granule (of 0 to 16) in pieces of `piece` bytes, of which
/// both are multiples.
template <int piece>
__device__ __forceinline__ void store_part(Byte* to, const Granule& value, int begin, int end) {
  static_assert(piece <= 4);
#pragma unroll
  for (int at = 0; at < granule; at += piece) {
    if (at >= begin && at < end) {
      store<piece>(to + at, static_cast<Word<piece>>(value.word[at / 4] >> (at % 4 * 8)));
    }
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

/// The same of those that a warp started, for that warp.
__device__ __forceinline__ void finish_copies_of_warp() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  __syncwarp();
}

/// Bytes 0 to 7 are those of `low` and `high`; hexadecimal digit i of `selector` names byte i of
/// the result.
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

/// The quotient of numbers below 2^31 by a multiplication (Granlund and Montgomery, 1994).
struct Divisor {
  std::uint32_t divisor;
  std::uint32_t factor;
  std::uint32_t shift;

  explicit Divisor(std::uint32_t by) : divisor(by), factor(0), shift(0) {
    if (by == 1) return;
    while ((std::uint64_t{1} << shift) < by) ++shift;
    factor = static_cast<std::uint32_t>((std::uint64_t{1} << (31 + shift)) / by + 1);
    shift -= 1;
  }

  __device__ __forceinline__ std::uint32_t quotient(std::uint32_t number) const {
    return divisor == 1 ? number : __umulhi(number, factor) >> shift;
  }
};

}  // namespace qturn::device

#endif  // QTURN_KERNELS_CUDA_DEVICE_MEMORY_CUH
