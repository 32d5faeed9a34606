#include "tools/bench/copy_kernels.hpp"

#include <bit>

#include "tools/bench/overlap.cuh"

namespace qturn::bench {
namespace {

constexpr int threads = 256;

// Overlapping its neighbours in the stream, as our kernels do, or one after the other.
template <bool overlapping>
__global__ void copy_granules(const uint4* src, uint4* dst, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if constexpr (overlapping) wait_for_previous_kernel();
  if (i < count) dst[i] = src[i];
}

// Words of the pixels in order, each at its place in either view.
template <class Word>
__global__ void copy_words(ConstView src, View dst, unsigned src_words, unsigned dst_words,
                           unsigned count) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  wait_for_previous_kernel();
  if (i >= count) return;
  const unsigned src_y = i / src_words;
  const unsigned dst_y = i / dst_words;
  const auto* from = static_cast<const char*>(src.data) + src_y * src.pitch;
  auto* to = static_cast<char*>(dst.data) + dst_y * dst.pitch;
  reinterpret_cast<Word*>(to)[i - dst_y * dst_words] =
      reinterpret_cast<const Word*>(from)[i - src_y * src_words];
}

template <class Word>
void copy_views_by(ConstView src, View dst, cudaStream_t stream) {
  const auto words = [](std::int64_t bytes) { return static_cast<unsigned>(bytes / sizeof(Word)); };
  const unsigned count = words(src.row_bytes() * src.height);
  launch_overlapping(copy_words<Word>, (count + threads - 1) / threads, threads, stream, src, dst,
                     words(src.row_bytes()), words(dst.row_bytes()), count);
}

__global__ void count_differing(const uchar4* a, const uchar4* b, std::int64_t words,
                                unsigned long long* count) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  unsigned different = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < words; i += step) {
    const uchar4 p = a[i];
    const uchar4 q = b[i];
    different += (p.x != q.x) + (p.y != q.y) + (p.z != q.z) + (p.w != q.w);
  }
  if (different != 0) atomicAdd(count, different);
}

__global__ void fill(std::uint64_t* memory, std::int64_t count) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < count; i += step) {
    // SplitMix64
    std::uint64_t z = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    memory[i] = z ^ (z >> 31);
  }
}

unsigned blocks(std::int64_t work) { return static_cast<unsigned>((work + threads - 1) / threads); }

}  // namespace

void copy_linear(const void* src, void* dst, std::int64_t bytes, cudaStream_t stream) {
  const std::int64_t count = (bytes + 15) / 16;
  launch_overlapping(copy_granules<true>, blocks(count), threads, stream,
                     static_cast<const uint4*>(src), static_cast<uint4*>(dst), count);
}

void copy_alone(const void* src, void* dst, std::int64_t bytes, cudaStream_t stream) {
  const std::int64_t count = (bytes + 15) / 16;
  copy_granules<false><<<blocks(count), threads, 0, stream>>>(static_cast<const uint4*>(src),
                                                              static_cast<uint4*>(dst), count);
}

void copy_views(ConstView src, View dst, cudaStream_t stream) {
  const auto bits = [](ConstView view) {
    return reinterpret_cast<std::uintptr_t>(view.data) |
           static_cast<std::uintptr_t>(view.pitch | view.row_bytes());
  };
  switch (1 << std::countr_zero(bits(src) | bits(dst) | 16)) {
    case 1:
      return copy_views_by<std::uint8_t>(src, dst, stream);
    case 2:
      return copy_views_by<std::uint16_t>(src, dst, stream);
    case 4:
      return copy_views_by<std::uint32_t>(src, dst, stream);
    case 8:
      return copy_views_by<uint2>(src, dst, stream);
    default:
      return copy_views_by<uint4>(src, dst, stream);
  }
}

void count_differing_bytes(const void* a, const void* b, std::int64_t bytes,
                           unsigned long long* count, cudaStream_t stream) {
  count_differing<<<4096, threads, 0, stream>>>(static_cast<const uchar4*>(a),
                                                static_cast<const uchar4*>(b), bytes / 4, count);
}

void fill_random(void* memory, std::int64_t bytes, cudaStream_t stream) {
  fill<<<4096, threads, 0, stream>>>(static_cast<std::uint64_t*>(memory), bytes / 8);
}

}  // namespace qturn::bench
