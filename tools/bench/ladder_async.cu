// From the swizzled float4 kernel to ours: keep more bytes in flight. Read from top to bottom; each
// kernel has one idea more than the one before.
//
// A multiprocessor needs about 10 KB of reads in flight at all times, or the memory idles. A block
// that stores, starts or ends has none in flight. A read into registers holds them until it
// arrives, which limits the number of reads. The copies here go straight into shared memory.
//
// Tiles, edges and offsets are as in ladder_kernels.cu. Blocks are numbered in one dimension, so
// that their order can be chosen.
#include <cuda.h>
#include <cuda_pipeline.h>
#include <dlfcn.h>

#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/ladder.hpp"
#include "tools/bench/ladder_four.cuh"
#include "tools/bench/overlap.cuh"

namespace qturn::bench {
namespace {

using Stride = std::int64_t;

constexpr int threads = 256;

// Starts the copy of four floats, or of the `count` that exist, and does not wait for it. Floats
// that are not aligned to 16 bytes are copied one by one.
__device__ void start_four(float* tile, const float* from, int count) {
  if (count >= 4 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    __pipeline_memcpy_async(tile, from, 16);
    return;
  }
  for (int i = 0; i < min(count, 4); ++i) __pipeline_memcpy_async(tile + i, from + i, 4);
}

template <class Tile>
__device__ void start_rows(float* tile, const float* in, Stride in_stride, int left, int top,
                           int width, int height) {
  constexpr int fours = Tile::side / 4;
#pragma unroll
  for (int i = threadIdx.x; i < Tile::side * fours; i += threads) {
    const int row = i / fours;
    const int column = i % fours * 4;
    if (left + column < width && top + row < height) {
      start_four(tile + Tile::at(row, column), in + (top + row) * in_stride + left + column,
                 width - left - column);
    }
  }
}

// A warp takes 32 rows of 4 columns: 8 lanes side by side write 128 bytes of one row of the result.
template <class Tile>
__device__ void store_columns(const float* tile, float* out, Stride out_stride, int left, int top,
                              int width, int height) {
  const int lane = threadIdx.x % 32;
  constexpr int pieces = Tile::side / 32;  // of 32 rows
#pragma unroll
  for (int warp = threadIdx.x / 32; warp < pieces * Tile::side / 4; warp += threads / 32) {
    const int row = warp % pieces * 32 + lane % 8 * 4;
    const int column = warp / pieces * 4 + lane / 8;
    if (left + column < width && top + row < height) {
      const float4 four = {tile[Tile::at(row, column)], tile[Tile::at(row + 1, column)],
                           tile[Tile::at(row + 2, column)], tile[Tile::at(row + 3, column)]};
      store_four(out + (left + column) * out_stride + top + row, four, height - top - row);
    }
  }
}

// All reads of a block are in flight before the first thread waits.
template <class Tile>
__device__ void transpose_tile(const float* in, Stride in_stride, float* out, Stride out_stride,
                               int left, int top, int width, int height) {
  alignas(16) __shared__ float tile[Tile::floats];
  start_rows<Tile>(tile, in, in_stride, left, top, width, height);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  store_columns<Tile>(tile, out, out_stride, left, top, width, height);
}

__host__ __device__ constexpr unsigned tiles_of(std::int64_t length, int side) {
  return static_cast<unsigned>((length + side - 1) / side);
}

// Asynchronous copies alone, with tiles of 32 x 32: 4 KB per block. With tiles of 64 x 64: 16 KB
// per block, in pieces of 256 bytes on either side.
template <class Tile>
__global__ void along_rows(const float* in, Stride in_stride, float* out, Stride out_stride,
                           int width, int height) {
  const unsigned across = tiles_of(width, Tile::side);
  const int left = blockIdx.x % across * Tile::side;
  const int top = blockIdx.x / across * Tile::side;
  transpose_tile<Tile>(in, in_stride, out, out_stride, left, top, width, height);
}

using LongPieces = SwizzledFours<64>;

// Blocks that run together go down a column of tiles instead. They write consecutive pieces of the
// same rows of the result, which costs the memory less than reading such pieces.
__global__ void down_columns(const float* in, Stride in_stride, float* out, Stride out_stride,
                             int width, int height) {
  const unsigned down = tiles_of(height, LongPieces::side);
  const int left = blockIdx.x / down * LongPieces::side;
  const int top = blockIdx.x % down * LongPieces::side;
  transpose_tile<LongPieces>(in, in_stride, out, out_stride, left, top, width, height);
}

// Asks the second-level cache to fetch a tile, row by row, 128 bytes at a time. This delivers no
// values, so it is allowed while the kernel before still writes there.
__device__ void prefetch_tile(const float* in, Stride in_stride, int left, int top, int width,
                              int height) {
  const int row = threadIdx.x / 2;
  const int column = threadIdx.x % 2 * 32;
  if (row < LongPieces::side && left + column < width && top + row < height) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + (top + row) * in_stride + left + column)
                 : "memory");
  }
}

// The launch starts while the last blocks of the kernel before still run, and its first blocks wait
// until that kernel is done. The first `prefetching` of them use the time to prefetch.
__global__ void overlapping(const float* in, Stride in_stride, float* out, Stride out_stride,
                            int width, int height, unsigned prefetching) {
  const unsigned down = tiles_of(height, LongPieces::side);
  const int left = blockIdx.x / down * LongPieces::side;
  const int top = blockIdx.x % down * LongPieces::side;
  wait_for_previous_kernel([&] {
    if (blockIdx.x < prefetching) prefetch_tile(in, in_stride, left, top, width, height);
  });
  transpose_tile<LongPieces>(in, in_stride, out, out_stride, left, top, width, height);
}

// One thread asks the copy engine (TMA) for a whole tile, and all threads wait for its bytes. The
// engine computes the addresses, swizzles, and fills what is outside the matrix with zeros.
__global__ void by_tensor_map(const __grid_constant__ CUtensorMap map, float* out,
                              Stride out_stride, int width, int height) {
#if __CUDA_ARCH__ >= 900
  alignas(1024) __shared__ float tile[TensorFours::floats];
  __shared__ std::uint64_t arrived;
  const unsigned down = tiles_of(height, TensorFours::side);
  const int left = blockIdx.x / down * TensorFours::side;
  const int top = blockIdx.x % down * TensorFours::side;
  const auto barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  wait_for_previous_kernel();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "n"(4 * TensorFours::floats)
                 : "memory");
    for (int half = 0; half < 2; ++half) {
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
          " [%0], [%1, {%2, %3, 0}], [%4];" ::"r"(
              static_cast<unsigned>(__cvta_generic_to_shared(tile + half * TensorFours::half))),
          "l"(&map), "r"(left + half * 32), "r"(top / 4), "r"(barrier)
          : "memory");
    }
  }
  __syncthreads();  // the barrier is initialised
  for (unsigned done = 0; !done;) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;"
        " selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
  store_columns<TensorFours>(tile, out, out_stride, left, top, width, height);
#endif
}

using Kernel = void (*)(const float*, Stride, float*, Stride, int, int);

unsigned tiles_in(const Matrices& m, int side) {
  return tiles_of(m.width, side) * tiles_of(m.height, side);
}

auto one_by_one(Kernel kernel, int side) {
  return [=](const Matrices& m, cudaStream_t stream) {
    check_sides(m);
    kernel<<<tiles_in(m, side), threads, 0, stream>>>(
        m.in, m.width, m.out, m.height, static_cast<int>(m.width), static_cast<int>(m.height));
    must(cudaGetLastError());
  };
}

// Blocks of the kernel that the current device holds at once.
unsigned resident_blocks() {
  int device = 0;
  int multiprocessors = 0;
  int of_one = 0;
  must(cudaGetDevice(&device));
  must(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, overlapping, threads, 0));
  return static_cast<unsigned>(multiprocessors * of_one);
}

auto overlapping_launches(bool prefetches) {
  return [=](const Matrices& m, cudaStream_t stream) {
    check_sides(m);
    launch_overlapping(overlapping, tiles_in(m, LongPieces::side), threads, stream, m.in, m.width,
                       m.out, m.height, m.width, m.height, prefetches ? resident_blocks() : 0);
  };
}

// Rows 0, 4, 8 ... are one dimension of the tensor, and the four rows from each on another.
CUtensorMap tensor_map(decltype(cuTensorMapEncodeTiled)* encode, const Matrices& m) {
  CUtensorMap map;
  const auto width = static_cast<cuuint64_t>(m.width);
  const cuuint64_t sides[] = {width, static_cast<cuuint64_t>(m.height / 4), 4};
  const cuuint64_t strides[] = {4 * 4 * width, 4 * width};
  const cuuint32_t box[] = {32, TensorFours::side / 4, 4};
  const cuuint32_t each[] = {1, 1, 1};
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, const_cast<float*>(m.in), sides, strides,
             box, each, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled: error " + std::to_string(result));
  }
  return map;
}

Rung tensor_rung() {
  constexpr auto conflicts = conflicts_by_fours<TensorFours, true>();
  Rung rung{"TMA", "+ overlapping launches (PDL)", Makes::transpose, {}, conflicts};
  rung.by_fours = true;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto* encode = driver == nullptr ? nullptr
                                   : reinterpret_cast<decltype(cuTensorMapEncodeTiled)*>(
                                         dlsym(driver, "cuTensorMapEncodeTiled"));
  cudaFuncAttributes compiled{};
  if (encode == nullptr || cudaFuncGetAttributes(&compiled, by_tensor_map) != cudaSuccess ||
      compiled.ptxVersion < 90) {
    rung.missing = "tensor maps, which need compute capability 9.0";
    return rung;
  }
  rung.enqueue = [encode](const Matrices& m, cudaStream_t stream) {
    check_sides(m);
    launch_overlapping(by_tensor_map, tiles_in(m, TensorFours::side), threads, stream,
                       tensor_map(encode, m), m.out, m.height, m.width, m.height);
  };
  return rung;
}

}  // namespace

std::vector<Rung> asynchronous_rungs() {
  constexpr auto transposes = Makes::transpose;
  constexpr auto small = conflicts_by_fours<SwizzledFours<32>, true>();
  constexpr auto large = conflicts_by_fours<LongPieces, true>();
  return {
      {"asynchronous copies", "float4, XOR swizzle", transposes,
       one_by_one(along_rows<SwizzledFours<32>>, 32), small},
      {"+ long pieces", "asynchronous copies", transposes,
       one_by_one(along_rows<LongPieces>, LongPieces::side), large},
      {"+ blocks go down", "+ long pieces", transposes, one_by_one(down_columns, LongPieces::side),
       large},
      {"+ overlapping launches (PDL)", "+ blocks go down", transposes, overlapping_launches(false),
       large},
      {"+ prefetch while waiting", "+ overlapping launches (PDL)", transposes,
       overlapping_launches(true), large},
      tensor_rung(),
  };
}

}  // namespace qturn::bench
