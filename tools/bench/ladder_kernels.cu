// The classic kernels. Read them from top to bottom; each has one idea more than the one before.
//
// `in` has `height` rows of `width` floats, `in_stride` apart; the rows of `out` are `out_stride`
// apart. A block of 256 threads has a square tile of `in`, and the edges of the matrix may go
// through it anywhere. Offsets are 64-bit products. A thread does all its loads before its first
// store. The compiler would not move them there, because a store might change what a later load
// reads, and then the loads would wait for each other.
#include <algorithm>
#include <stdexcept>

#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/ladder.hpp"
#include "tools/bench/ladder_four.cuh"

namespace qturn::bench {
namespace {

using Stride = std::int64_t;

constexpr int threads = 256;
constexpr int side = 32;
constexpr int threads_down = threads / side;
constexpr int each = side / threads_down;  // elements that a thread moves, in every eighth row

__global__ void copy(const float* in, Stride in_stride, float* out, Stride out_stride, int width,
                     int height) {
  const int x = blockIdx.x * side + threadIdx.x;
  const int y = blockIdx.y * side + threadIdx.y;
  float held[each];
  for (int i = 0; i < each; ++i) {
    if (x < width && y + i * threads_down < height) {
      held[i] = in[(y + i * threads_down) * in_stride + x];
    }
  }
  for (int i = 0; i < each; ++i) {
    if (x < width && y + i * threads_down < height) {
      out[(y + i * threads_down) * out_stride + x] = held[i];
    }
  }
}

// A warp reads 128 bytes of one row, and writes 4 bytes to each of 32 rows.
__global__ void reads_in_order(const float* in, Stride in_stride, float* out, Stride out_stride,
                               int width, int height) {
  const int x = blockIdx.x * side + threadIdx.x;
  const int y = blockIdx.y * side + threadIdx.y;
  float held[each];
  for (int i = 0; i < each; ++i) {
    if (x < width && y + i * threads_down < height) {
      held[i] = in[(y + i * threads_down) * in_stride + x];
    }
  }
  for (int i = 0; i < each; ++i) {
    if (x < width && y + i * threads_down < height) {
      out[x * out_stride + y + i * threads_down] = held[i];
    }
  }
}

// The other way round: it reads 4 bytes of each of 32 rows, and writes 128 bytes of one.
__global__ void writes_in_order(const float* in, Stride in_stride, float* out, Stride out_stride,
                                int width, int height) {
  const int x = blockIdx.x * side + threadIdx.y;
  const int y = blockIdx.y * side + threadIdx.x;
  float held[each];
  for (int i = 0; i < each; ++i) {
    if (x + i * threads_down < width && y < height) {
      held[i] = in[y * in_stride + x + i * threads_down];
    }
  }
  for (int i = 0; i < each; ++i) {
    if (x + i * threads_down < width && y < height) {
      out[(x + i * threads_down) * out_stride + y] = held[i];
    }
  }
}

// The way out of both: a tile goes into shared memory row by row ... (`whole`: no edge of the
// matrix goes through it.)
template <class Tile, int block_threads = threads, bool whole = false>
__device__ void load_rows(float* tile, const float* in, Stride in_stride, int left, int top,
                          int width, int height) {
  const int column = threadIdx.x;
  for (int step = 0; step < Tile::side; step += block_threads / Tile::side) {
    const int row = threadIdx.y + step;
    if (whole || (left + column < width && top + row < height)) {
      tile[Tile::at(row, column)] = in[(top + row) * in_stride + left + column];
    }
  }
}

// ... and leaves it column by column: row `left + column` of the result has column `column` of the
// tile. Neighbouring threads write neighbouring elements again.
template <class Tile, int block_threads = threads, bool whole = false>
__device__ void store_columns(const float* tile, float* out, Stride out_stride, int left, int top,
                              int width, int height) {
  const int row = threadIdx.x;
  for (int step = 0; step < Tile::side; step += block_threads / Tile::side) {
    const int column = threadIdx.y + step;
    if (whole || (left + column < width && top + row < height)) {
      out[(left + column) * out_stride + top + row] = tile[Tile::at(row, column)];
    }
  }
}

// The detour alone: in by rows, out by rows.
__global__ void copy_by_tiles(const float* in, Stride in_stride, float* out, Stride out_stride,
                              int width, int height) {
  __shared__ float tile[Plain::floats];
  const int left = blockIdx.x * side;
  const int top = blockIdx.y * side;
  load_rows<Plain>(tile, in, in_stride, left, top, width, height);
  __syncthreads();
  const int column = threadIdx.x;
  for (int step = 0; step < side; step += threads_down) {
    const int row = threadIdx.y + step;
    if (left + column < width && top + row < height) {
      out[(top + row) * out_stride + left + column] = tile[Plain::at(row, column)];
    }
  }
}

template <class Tile, int block_threads>
__global__ void by_tiles(const float* in, Stride in_stride, float* out, Stride out_stride,
                         int width, int height) {
  __shared__ float tile[Tile::floats];
  const int left = blockIdx.x * Tile::side;
  const int top = blockIdx.y * Tile::side;
  load_rows<Tile, block_threads>(tile, in, in_stride, left, top, width, height);
  __syncthreads();
  store_columns<Tile, block_threads>(tile, out, out_stride, left, top, width, height);
}

// Asks once whether an edge goes through the tile. If none does, no element is compared with it.
__global__ void by_whole_tiles(const float* in, Stride in_stride, float* out, Stride out_stride,
                               int width, int height) {
  __shared__ float tile[Padded::floats];
  const int left = blockIdx.x * side;
  const int top = blockIdx.y * side;
  if (left + side <= width && top + side <= height) {
    load_rows<Padded, threads, true>(tile, in, in_stride, left, top, width, height);
    __syncthreads();
    store_columns<Padded, threads, true>(tile, out, out_stride, left, top, width, height);
  } else {
    load_rows<Padded>(tile, in, in_stride, left, top, width, height);
    __syncthreads();
    store_columns<Padded>(tile, out, out_stride, left, top, width, height);
  }
}

// Four floats from memory, or the `count` that exist. If the width is not a multiple of four, rows
// begin anywhere, and floats that are not aligned to 16 bytes are read one by one.
__device__ float4 load_four(const float* from, int count) {
  if (count >= 4 && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    return *reinterpret_cast<const float4*>(from);
  }
  return {from[0], count > 1 ? from[1] : 0, count > 2 ? from[2] : 0, count > 3 ? from[3] : 0};
}

// A thread reads four columns of a row at once, and writes four rows of a column at once.
template <class Tile, bool four_at_once>
__global__ void by_fours(const float* in, Stride in_stride, float* out, Stride out_stride,
                         int width, int height) {
  alignas(16) __shared__ float tile[Tile::floats];
  const int left = blockIdx.x * side;
  const int top = blockIdx.y * side;
  const int row = threadIdx.y;
  const int column = threadIdx.x * 4;
  if (left + column < width && top + row < height) {
    const float4 four =
        load_four(in + (top + row) * in_stride + left + column, width - left - column);
    if (four_at_once) {
      *reinterpret_cast<float4*>(tile + Tile::at(row, column)) = four;
    } else {
      tile[Tile::at(row, column)] = four.x;
      tile[Tile::at(row, column + 1)] = four.y;
      tile[Tile::at(row, column + 2)] = four.z;
      tile[Tile::at(row, column + 3)] = four.w;
    }
  }
  __syncthreads();
  // The numbers are the same, but now the thread has one column and four rows.
  const int turned_row = threadIdx.x * 4;
  const int turned_column = threadIdx.y;
  if (left + turned_column < width && top + turned_row < height) {
    const float4 four = {tile[Tile::at(turned_row, turned_column)],
                         tile[Tile::at(turned_row + 1, turned_column)],
                         tile[Tile::at(turned_row + 2, turned_column)],
                         tile[Tile::at(turned_row + 3, turned_column)]};
    store_four(out + (left + turned_column) * out_stride + top + turned_row, four,
               height - top - turned_row);
  }
}

// Blocks that run together have tiles along a diagonal, so that they are spread over the columns of
// the source and of the result alike. In a square the diagonals go around; elsewhere the same is
// done with the block's number, which names each tile once as long as it counts all of them.
__global__ void by_diagonals(const float* in, Stride in_stride, float* out, Stride out_stride,
                             int width, int height) {
  unsigned block_y = blockIdx.x;
  unsigned block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
  if (gridDim.x != gridDim.y) {
    const unsigned number = blockIdx.x + gridDim.x * blockIdx.y;
    block_y = number % gridDim.y;
    block_x = (number / gridDim.y + block_y) % gridDim.x;
  }
  __shared__ float tile[Padded::floats];
  const int left = block_x * side;
  const int top = block_y * side;
  load_rows<Padded>(tile, in, in_stride, left, top, width, height);
  __syncthreads();
  store_columns<Padded>(tile, out, out_stride, left, top, width, height);
}

// The grid's z counts matrices. All of them together may well have more than 2^31 elements.
__global__ void of_many(const float* in, float* out, int width, int height, Stride spacing) {
  __shared__ float tile[Padded::floats];
  const int left = blockIdx.x * side;
  const int top = blockIdx.y * side;
  const Stride offset = blockIdx.z * spacing;
  load_rows<Padded>(tile, in + offset, width, left, top, width, height);
  __syncthreads();
  store_columns<Padded>(tile, out + offset, height, left, top, width, height);
}

// Two tiles that mirror each other are read before either is written. On the diagonal they are one,
// which is written twice with the same values. Blocks below the diagonal have nothing to do.
__global__ void in_place(float* matrix, int length) {
  if (blockIdx.x < blockIdx.y) return;
  __shared__ float upper[Padded::floats];
  __shared__ float lower[Padded::floats];
  const int left = blockIdx.x * side;
  const int top = blockIdx.y * side;
  load_rows<Padded>(upper, matrix, length, left, top, length, length);
  load_rows<Padded>(lower, matrix, length, top, left, length, length);
  __syncthreads();
  store_columns<Padded>(upper, matrix, length, left, top, length, length);
  store_columns<Padded>(lower, matrix, length, top, left, length, length);
}

// The largest y and z of a grid.
constexpr std::int64_t most_blocks = 65535;

unsigned blocks(std::int64_t length, int tile_side) {
  return static_cast<unsigned>((length + tile_side - 1) / tile_side);
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
            Arguments... arguments) {
  kernel<<<grid, block, 0, stream>>>(static_cast<Parameters>(arguments)...);
  must(cudaGetLastError());
}

using Kernel = void (*)(const float*, Stride, float*, Stride, int, int);

// One launch, or one for each band of a matrix that is too high for a grid.
auto bands(Makes makes, Kernel kernel, dim3 block, int tile_side) {
  return [=](const Matrices& m, cudaStream_t stream) {
    check_sides(m);
    const bool copies = makes == Makes::copy;
    const std::int64_t band = most_blocks * tile_side;
    for (std::int64_t y = 0; y < m.height; y += band) {
      const std::int64_t rows = std::min(band, m.height - y);
      launch(kernel, dim3(blocks(m.width, tile_side), blocks(rows, tile_side)), block, stream,
             m.in + y * m.width, m.width, m.out + (copies ? y * m.width : y),
             copies ? m.width : m.height, m.width, rows);
    }
  };
}

void enqueue_many(const Matrices& m, cudaStream_t stream) {
  check_sides(m);
  for (std::int64_t i = 0; i < m.count; i += most_blocks) {
    const dim3 grid(blocks(m.width, side), blocks(m.height, side),
                    static_cast<unsigned>(std::min(most_blocks, m.count - i)));
    launch(of_many, grid, dim3(side, threads_down), stream, m.in + i * m.spacing,
           m.out + i * m.spacing, m.width, m.height, m.spacing);
  }
}

void enqueue_in_place(const Matrices& m, cudaStream_t stream) {
  check_sides(m);
  const unsigned tiles = blocks(m.width, side);
  launch(in_place, dim3(tiles, tiles), dim3(side, threads_down), stream, m.out, m.width);
}

// A rung whose threads move single elements of a tile.
template <class Tile, int block_threads = threads>
Rung by_ones(const char* name, const char* than) {
  constexpr auto conflicts = conflicts_by_ones<Tile>();
  return {name, than, Makes::transpose,
          bands(Makes::transpose, by_tiles<Tile, block_threads>,
                dim3(Tile::side, block_threads / Tile::side), Tile::side),
          conflicts};
}

// A rung whose threads move four elements at once.
template <class Tile, bool four_at_once>
Rung float4s(const char* name, const char* than) {
  constexpr auto conflicts = conflicts_by_fours<Tile, four_at_once>();
  return {name, than, Makes::transpose,
          bands(Makes::transpose, by_fours<Tile, four_at_once>, dim3(side / 4, side), side),
          conflicts};
}

}  // namespace

void check_sides(const Matrices& m) {
  // So that the last tile's coordinates are still below 2^31.
  constexpr int largest_tile = 64;
  if (std::max(m.width, m.height) > (std::int64_t{1} << 31) - largest_tile) {
    throw std::invalid_argument("a matrix of " + std::to_string(m.width) + "x" +
                                std::to_string(m.height) + ", expected sides of at most 2^31 - 64");
  }
}

std::vector<Rung> classic_rungs() {
  const dim3 block(side, threads_down);
  constexpr auto copies = Makes::copy;
  constexpr auto transposes = Makes::transpose;
  constexpr auto padded = conflicts_by_ones<Padded>();
  const char* tile = "32x32 tile, rows + 1";
  return {
      {"copy", "", copies, bands(copies, copy, block, side)},
      {"copy through shared memory", "copy", copies, bands(copies, copy_by_tiles, block, side),
       BankConflicts{1, 1}},
      {"naive, reads in order", "copy", transposes, bands(transposes, reads_in_order, block, side)},
      {"naive, writes in order", "naive, reads in order", transposes,
       bands(transposes, writes_in_order, block, side)},
      by_ones<Plain>("32x32 tile", "naive, writes in order"),
      by_ones<Transposed<Plain>>("32x32 tile, written by columns", "32x32 tile"),
      by_ones<Padded>(tile, "32x32 tile"),
      {"rows + 1, one check per tile", tile, transposes,
       bands(transposes, by_whole_tiles, block, side), padded},
      by_ones<Padded, 1024>("rows + 1, 1024 threads", tile),
      by_ones<Rows<16, 16>>("16x16 tile", "32x32 tile"),
      by_ones<Rows<16, 17>>("16x16 tile, rows + 1", "16x16 tile"),
      by_ones<PaddedPairs>("16x16 tile, row pairs + 2", tile),
      by_ones<Swizzled>("32x32 tile, XOR swizzle", tile),
      float4s<Padded, false>("float4, rows + 1", tile),
      float4s<Swizzled, false>("float4, XOR of elements", "float4, rows + 1"),
      float4s<Rows<32, 36>, true>("float4, rows + 4", "float4, rows + 1"),
      float4s<SwizzledFours<32>, true>("float4, XOR swizzle", "float4, rows + 4"),
      {"rows + 1, diagonal order", tile, transposes, bands(transposes, by_diagonals, block, side),
       padded},
      {"rows + 1, many in a launch", tile, transposes, enqueue_many, padded, true},
      {"rows + 1, in place", tile, Makes::transpose_in_place, enqueue_in_place, padded},
  };
}

}  // namespace qturn::bench
