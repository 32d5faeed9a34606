#include "tools/bench/copy_kernels.hpp"

namespace qturn::bench {
namespace {

constexpr int threads = 256;

__global__ void copy_granules(const uint4* src, uint4* dst, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) dst[i] = src[i];
}

__global__ void copy_rows(const uint4* src, uint4* dst, int granules, std::int64_t rows,
                          std::int64_t pitch) {
  const int x = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  for (std::int64_t y = blockIdx.y; x < granules && y < rows; y += gridDim.y) {
    dst[y * pitch + x] = src[y * pitch + x];
  }
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
  copy_granules<<<blocks(count), threads, 0, stream>>>(static_cast<const uint4*>(src),
                                                       static_cast<uint4*>(dst), count);
}

void copy_pitched(const void* src, void* dst, std::int64_t row_bytes, std::int64_t rows,
                  std::int64_t pitch, cudaStream_t stream) {
  const std::int64_t granules = (row_bytes + 15) / 16;
  const dim3 grid(blocks(granules), static_cast<unsigned>(rows < 65535 ? rows : 65535));
  copy_rows<<<grid, threads, 0, stream>>>(static_cast<const uint4*>(src), static_cast<uint4*>(dst),
                                          static_cast<int>(granules), rows, pitch / 16);
}

void fill_random(void* memory, std::int64_t bytes, cudaStream_t stream) {
  fill<<<4096, threads, 0, stream>>>(static_cast<std::uint64_t*>(memory), bytes / 8);
}

}  // namespace qturn::bench
