// Transposing kernels for addresses and pitches that are multiples of 16 bytes; of the
// destination's 8 are enough for 1, 2 and 3-byte pixels.
//
// The tile goes from global to shared memory by asynchronous copies of 16 bytes, which need no
// registers, so that the 2048 threads of a multiprocessor keep 64 KB in flight. After one barrier
// each thread assembles pieces of the rows of the destination, and stores 16 (or 8) bytes at once.
// How it does so depends on the pixel:
//
//   4 bytes and more, and 6   words are gathered one by one (gather)
//   1 and 2                   words are read whole, and their pixels exchanged in registers (pack)
//   3                         4 x 4 pixels, which are 3 words x 4 rows, are exchanged in registers
//                             and written back to shared memory in the new order (triple)
#pragma once

#include "kernels/src/cuda/exchange.cuh"
#include "kernels/src/cuda/transpose/transpose.cuh"
#include "kernels/src/cuda/tuning.cuh"

namespace qturn::device {

/// Which unit of work of `down` x `across` a thread has: with lanes_down a warp is a rectangle, so
/// that it writes pieces of several rows and reads shared memory without conflicts.
struct Unit {
  int down;
  int across;
};

template <int units_down, int units_across, int lanes_down>
__device__ __forceinline__ Unit unit_of(int number) {
  if constexpr (lanes_down == 0) {
    return {number % units_down, number / units_down};
  } else {
    constexpr int lanes_across = 32 / lanes_down;
    static_assert(units_down % lanes_down == 0 && units_across % lanes_across == 0);
    constexpr int warps_down = units_down / lanes_down;
    const int warp = number / 32;
    const int lane = number % 32;
    return {warp % warps_down * lanes_down + lane % lanes_down,
            warp / warps_down * lanes_across + lane / lanes_down};
  }
}

template <int pixel, Rows shape>
__global__ void __launch_bounds__(Tuning::tile(pixel, shape).threads,
                                  resident_threads / Tuning::tile(pixel, shape).threads)
    transpose_gather(const Transpose t) {
  constexpr TileTuning tuning = Tuning::tile(pixel, shape);
  constexpr int row_bytes = tuning.row_bytes, rows = tuning.rows, threads = tuning.threads;
  constexpr int unit_rows = tuning.unit_rows, lanes_down = tuning.lanes_down;
  constexpr int width = row_bytes / pixel;
  constexpr int word = word_bytes(pixel);
  constexpr int granules_down = rows * pixel / granule;
  constexpr int units = granules_down * width;
  // The rows that a granule has pixels of lie in the same order, so that ...
  static_assert(unit_rows * pixel % granule == 0);

  alignas(128) __shared__ Byte tile[rows * row_bytes];
  const TileOrigin origin = tile_origin(t, width, rows);
  if (origin.x >= t.width) return;
  const std::int64_t columns_left = t.width - origin.x;
  const std::int64_t rows_left = t.height - origin.y;
  const Byte* src = t.src + origin.y * t.src_pitch + origin.x * pixel;
  wait_prefetching<row_bytes, rows, threads>(t, src, columns_left * pixel, rows_left);
  start_tile<row_bytes, rows, threads, unit_rows, tuning.prefetch>(t, tile, src,
                                                                   columns_left * pixel, rows_left);
  finish_copies();

  const bool whole = columns_left >= width && rows_left >= rows;
  Byte* dst = t.dst + origin.x * t.dst_pitch + origin.y * pixel;
#pragma unroll
  for (int number = static_cast<int>(threadIdx.x); number < units; number += threads) {
    const Unit unit = unit_of<granules_down, width, lanes_down>(number);
    // ... the same word of the next row lies `row_bytes` away.
    const Granule value = gather<pixel>(
        unit.down * (granule / word),
        [&](int row, int index) {
          const int at = unit.across * pixel + index * word;
          return tile + row * row_bytes + swizzled(at / granule, row / unit_rows) * granule +
                 at % granule;
        },
        [](const Byte* from, int below) { return load<word>(from + below * row_bytes); });
    Byte* to = dst + unit.across * t.dst_pitch + unit.down * granule;
    if (whole) {
      store_granule(to, value);
    } else if (unit.across < columns_left) {
      store_between<std::int64_t>(to, value, 0, rows_left * pixel - unit.down * granule);
    }
  }
}

template <int pixel, Rows shape>
__global__ void __launch_bounds__(Tuning::tile(pixel, shape).threads,
                                  resident_threads / Tuning::tile(pixel, shape).threads)
    transpose_pack(const Transpose t) {
  constexpr TileTuning tuning = Tuning::tile(pixel, shape);
  constexpr int row_bytes = tuning.row_bytes, rows = tuning.rows, threads = tuning.threads;
  constexpr int unit_rows = tuning.unit_rows, lanes_down = tuning.lanes_down;
  static_assert((pixel == 1 || pixel == 2) && unit_rows * pixel == 8);
  constexpr int width = row_bytes / pixel;
  constexpr int pixels_in_word = 4 / pixel;
  constexpr int units_down = rows / unit_rows;
  constexpr int units_across = row_bytes / 4;

  alignas(128) __shared__ Byte tile[rows * row_bytes];
  const TileOrigin origin = tile_origin(t, width, rows);
  if (origin.x >= t.width) return;
  const std::int64_t columns_left = t.width - origin.x;
  const std::int64_t rows_left = t.height - origin.y;
  const Byte* src = t.src + origin.y * t.src_pitch + origin.x * pixel;
  wait_prefetching<row_bytes, rows, threads>(t, src, columns_left * pixel, rows_left);
  start_tile<row_bytes, rows, threads, unit_rows, tuning.prefetch>(t, tile, src,
                                                                   columns_left * pixel, rows_left);
  finish_copies();

  const bool whole = columns_left >= width && rows_left >= rows;
  Byte* dst = t.dst + origin.x * t.dst_pitch + origin.y * pixel;
#pragma unroll
  for (int number = static_cast<int>(threadIdx.x); number < units_down * units_across;
       number += threads) {
    const Unit unit = unit_of<units_down, units_across, lanes_down>(number);
    // The rows of a unit are one swizzle group.
    const Byte* from = tile + unit.down * unit_rows * row_bytes +
                       swizzled(unit.across / 4, unit.down) * granule + unit.across % 4 * 4;
    std::uint32_t in[unit_rows][1];
#pragma unroll
    for (int row = 0; row < unit_rows; ++row) in[row][0] = load<4>(from + row * row_bytes);
    std::uint32_t out[pixels_in_word][2];
    exchange(in, out);
    Byte* to = dst + unit.across * pixels_in_word * t.dst_pitch + unit.down * 8;
#pragma unroll
    for (int i = 0; i < pixels_in_word; ++i) {
      const std::int64_t left = rows_left * pixel - unit.down * 8;
      if (whole || (unit.across * pixels_in_word + i < columns_left && left >= 8)) {
        store<8>(to, make_uint2(out[i][0], out[i][1]));
      } else if (unit.across * pixels_in_word + i < columns_left && left > 0) {
        for (int at = 0; at < left; at += pixel) {  // not unrolled: few tiles have such an edge
          store<pixel>(to + at, static_cast<Word<pixel>>(out[i][0]));
          out[i][0] = __funnelshift_r(out[i][0], out[i][1], 8 * pixel);
          out[i][1] >>= 8 * pixel;
        }
      }
      to += t.dst_pitch;
    }
  }
}

/// `piece` is how many bytes a thread stores at once: 16, or 8 where the destination is aligned to
/// that only.
template <Rows shape, int piece>
__global__ void __launch_bounds__(Tuning::tile(3, shape).threads,
                                  resident_threads / Tuning::tile(3, shape).threads)
    transpose_triple(const Transpose t) {
  constexpr int pixel = 3;
  constexpr TileTuning tuning = Tuning::tile(pixel, shape);
  constexpr int row_bytes = tuning.row_bytes, rows = tuning.rows, threads = tuning.threads;
  constexpr int unit_rows = tuning.unit_rows, lanes_down = tuning.lanes_down;
  static_assert(unit_rows == 4 && lanes_down == 8);
  constexpr int width = row_bytes / pixel;
  constexpr int units_down = rows / 4;
  constexpr int units_across = width / 4;
  static_assert(units_down * units_across == threads);
  constexpr int out_row_bytes = rows * pixel;
  // 96 bytes after each four rows put the 32 words that a warp writes at once into 32 banks.
  constexpr int out_padding = 96;
  constexpr int out_bytes = width * out_row_bytes + units_across * out_padding;

  // First the tile as it was read, then as it will be written.
  alignas(128) __shared__ Byte tile[out_bytes];
  const TileOrigin origin = tile_origin(t, width, rows);
  if (origin.x >= t.width) return;
  const std::int64_t columns_left = t.width - origin.x;
  const std::int64_t rows_left = t.height - origin.y;
  const Byte* src = t.src + origin.y * t.src_pitch + origin.x * pixel;
  wait_prefetching<row_bytes, rows, threads>(t, src, columns_left * pixel, rows_left);
  start_tile<row_bytes, rows, threads, unit_rows, tuning.prefetch>(t, tile, src,
                                                                   columns_left * pixel, rows_left);
  finish_copies();

  const Unit unit = unit_of<units_down, units_across, lanes_down>(static_cast<int>(threadIdx.x));
  std::uint32_t in[4][3];
#pragma unroll
  for (int row = 0; row < 4; ++row) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const int at = unit.across * 3 + i;
      in[row][i] = load<4>(tile + (unit.down * 4 + row) * row_bytes +
                           swizzled(at / 4, unit.down) * granule + at % 4 * 4);
    }
  }
  std::uint32_t out[4][3];
  exchange(in, out);
  __syncthreads();
#pragma unroll
  for (int row = 0; row < 4; ++row) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      store<4>(tile + (unit.across * 4 + row) * out_row_bytes + unit.across * out_padding +
                   unit.down * 12 + i * 4,
               out[row][i]);
    }
  }
  __syncthreads();

  const bool whole = columns_left >= width && rows_left >= rows;
  constexpr int pieces_down = out_row_bytes / piece;
  Byte* dst = t.dst + origin.x * t.dst_pitch + origin.y * pixel;
#pragma unroll
  for (int number = static_cast<int>(threadIdx.x); number < pieces_down * width;
       number += threads) {
    const int down = number % pieces_down;
    const int across = number / pieces_down;
    const Byte* from = tile + across * out_row_bytes + across / 4 * out_padding + down * piece;
    Byte* to = dst + across * t.dst_pitch + down * piece;
    const std::int64_t left = rows_left * pixel - down * piece;
    if (whole || (across < columns_left && left >= piece)) {
      store<piece>(to, load<piece>(from));
    } else if (across < columns_left) {
      // So few tiles may all run at once; then the slowest ones, of the last rows, set the time:
      // 1080 rows of 1920 pixels went from 81 % of a copy to 110. (With pieces of 8 it loses a
      // point.)
      int i = 0;
      if constexpr (piece == granule) {
#pragma unroll 1
        for (; i + 4 <= left; i += 4) store<4>(to + i, load<4>(from + i));
      }
      for (; i < left; ++i) to[i] = from[i];
    }
  }
}

}  // namespace qturn::device
