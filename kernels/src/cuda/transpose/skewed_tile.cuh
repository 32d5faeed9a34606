// A tile of pixels of 1, 2 or 3 bytes that a block transposes, whatever the alignment of the
// picture. Single pictures (transpose_any.cu) and batches are drivers over it.
//
// Rows come into shared memory with the phase that they have in global memory, so that copies are
// aligned. 4 x 4 (or 8 x 4) pixels are exchanged in registers and written back over the tile as
// rows of the destination, from which granules are shifted into place.
//
// Instructions limit these kernels, not memory. So addresses are linear: a thread steps from row to
// row by adding, and nothing is reordered. The rows of a unit begin a few granules, the skew, after
// the rows of the unit above. This puts the words that a warp reads at once into different banks.
// Most tiles lie inside the picture; they are loaded and stored without checking its bounds.
// Measured on an H200, in % of a copy (2026-11-22):
//
//   4095x4093, one pixel into the memory, 1, 2 and 3 bytes
//     units one by one, granules reordered, two tiles of shared memory   60   72   72
//     this                                                               66   78   78
//     and with the first tiles prefetched                                69   79   79
//     words copied one by one, aligned by shuffles, stored by lanes      52   70   69
//   64 pictures of random sizes, tight, rotate90, 1 and 3 bytes
//     the tile of turned_tile.cuh                                        41.5   54.2
//     this                                                               60.0   71.4
#pragma once

#include "kernels/src/cuda/exchange.cuh"
#include "kernels/src/cuda/transpose/phased.cuh"

namespace qturn::device {

/// As many threads load a row as it has granules.
template <int pixel, AnyTuning tuning, int threads>
struct SkewedTile : AnyTileShape<pixel, tuning> {
  using Shape = AnyTileShape<pixel, tuning>;
  using Shape::before, Shape::own_rows, Shape::rows, Shape::width;
  static constexpr int units = tuning.units;
  static constexpr int row_granules = tuning.row_granules;
  static constexpr int lanes_down = tuning.lanes_down;

  static constexpr int unit_rows = pixel == 1 ? 8 : 4;
  static constexpr int unit_words = unit_rows * pixel / 4;  // of a row of the destination
  static constexpr int units_down = rows / unit_rows;
  static constexpr int units_across = width / 4 / units;  // the `units` of a thread as one
  static_assert(rows % unit_rows == 0 && width % (4 * units) == 0);

  // A warp is a rectangle of units. Neighbouring lanes down are a skew apart, modulo 128 bytes;
  // neighbouring lanes across are 4 pixels apart.
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int skew = 128 / lanes_down;
  static constexpr int warps_down = rounds(units_down, lanes_down);
  static constexpr int warps_across = rounds(units_across, lanes_across);
  static_assert(warps_down * warps_across * 32 <= threads);

  static_assert((width * pixel + 2 * granule - 2) / granule <= row_granules);
  static constexpr int row_bytes =
      (unit_rows == 8 ? row_granules : (row_granules + 1) / 2 * 2) * granule;
  static_assert(unit_rows * row_bytes % 128 == 0);
  static constexpr int in_bytes = rows * row_bytes + units_down * skew + granule;
  // Each step loads as many rows. It is a multiple of 16, so that the phase of a thread does not
  // change.
  static constexpr int rows_a_step = threads / row_granules / granule * granule;
  static_assert(rows_a_step > 0 && rows_a_step % unit_rows == 0);

  // Rows of the destination have an extra granule on either side. After every four rows there is
  // padding that puts the words which a warp writes at once into different banks.
  static constexpr int out_row_bytes =
      (rows * pixel + granule - 1) / granule * granule + 2 * granule;
  static constexpr int written = lanes_down * unit_words * 4;
  static constexpr int out_padding = ((written - 4 * out_row_bytes) % 128 + 128) % 128;
  static constexpr int out_bytes = width * out_row_bytes + width / 4 * out_padding;
  static constexpr int bytes = in_bytes > out_bytes ? in_bytes : out_bytes;

  static constexpr int granules_down = own_rows * pixel / granule;  // that are stored
  static constexpr int columns_a_step =
      threads / granules_down / tuning.columns_together * tuning.columns_together;

  template <class Thread>
  static __device__ __forceinline__ void run(Byte* tile, const TileArea& area, Thread thread) {
    load_rows(tile, area, thread);
    finish_copies();
    exchange_pixels(tile, low_bits(area.src), static_cast<unsigned>(area.src_pitch), thread);
    __syncthreads();
    store_columns(tile, area, thread);
  }

  /// The same, but `area()` is asked for each step, so that it need not stay in registers.
  template <class Area, class Thread>
  static __device__ __forceinline__ void run_again(Byte* tile, Area area, Thread thread) {
    load_rows(tile, area(), thread);
    finish_copies();
    const TileArea held = area();
    exchange_pixels(tile, low_bits(held.src), static_cast<unsigned>(held.src_pitch), thread);
    __syncthreads();
    store_columns(tile, area(), thread);
  }

  /// Prefetches the rows of the tile, line by line. The copy engine would take longer for so many
  /// short rows than the kernel before takes to end (1 byte: 55 % of a copy).
  static __device__ __forceinline__ void prefetch_rows(const TileArea& area) {
    constexpr int lines = (width * pixel + 127) / 128;
    for (int number = static_cast<int>(threadIdx.x); number < rows * lines; number += threads) {
      const int row = number / lines;
      const int at = number % lines * 128;
      if (row >= area.first_row && row < area.end_row && at < area.columns * pixel) {
        prefetch_line(area.src + row * area.src_pitch + at);
      }
    }
  }

 private:
  static __device__ __forceinline__ int out_place(int column) {
    return granule + column * out_row_bytes + column / 4 * out_padding;
  }

  template <class Thread>
  static __device__ __forceinline__ void load_rows(Byte* tile, const TileArea& area,
                                                   Thread thread) {
    const int column = thread() % row_granules * granule;
    int row = thread() / row_granules;
    if (threads != rows_a_step * row_granules && row >= rows_a_step) return;
    const int wanted = area.columns * pixel;
    const unsigned phase =
        low_bits(area.src) + static_cast<unsigned>(row) * static_cast<unsigned>(area.src_pitch);
    const int offset = column - static_cast<int>(phase % granule);
    if (offset >= wanted) return;
    const bool inside = area.is_inside(wanted);
    const Byte* from = area.src + row * area.src_pitch + offset;
    Byte* to = tile + row * row_bytes + row / unit_rows * skew + column;
#pragma unroll
    for (int step = 0; step < rounds(rows, rows_a_step); ++step) {
      if (row >= area.first_row && row < area.end_row) {
        if (inside) {
          start_copy<128>(to, from);
        } else {
          start_copy_between<128>(to, from, area.picture.begin, area.picture.end);
        }
      }
      row += rows_a_step;
      from += area.src_pitch * rows_a_step;
      to += rows_a_step * row_bytes + rows_a_step / unit_rows * skew;
    }
  }

  // From rows of the source to rows of the destination, in the same memory. `low` and `pitch` have
  // the low bits of the address of row 0 and of the pitch.
  template <class Thread>
  static __device__ __forceinline__ void exchange_pixels(Byte* tile, unsigned low, unsigned pitch,
                                                         Thread thread) {
    const int warp = thread() / 32;
    const int lane = thread() % 32;
    const int down = warp % warps_down * lanes_down + lane % lanes_down;
    const int across = warp / warps_down * lanes_across + lane / lanes_down;
    const bool busy = down < units_down && across < units_across;
    std::uint32_t out[units][4][unit_words]{};  // or a loop keeps the words of its last round
    if (busy) {
      std::uint32_t in[units][unit_rows][pixel];
      const Byte* row = tile + down * (unit_rows * row_bytes + skew);
      unsigned phase = low + static_cast<unsigned>(down * unit_rows) * pitch;
#pragma unroll
      for (int i = 0; i < unit_rows; ++i) {
        const unsigned place = phase % granule + static_cast<unsigned>(across * 4 * pixel);
#pragma unroll
        for (int unit = 0; unit < units; ++unit) {
          const Byte* from = row + place / 4 * 4 + unit * units_across * 4 * pixel;
          std::uint32_t first = load<4>(from);
#pragma unroll
          for (int k = 0; k < pixel; ++k) {
            const std::uint32_t second = load<4>(from + 4 * k + 4);
            in[unit][i][k] = __funnelshift_r(first, second, place * 8);
            first = second;
          }
        }
        row += row_bytes;
        phase += pitch;
      }
#pragma unroll
      for (int unit = 0; unit < units; ++unit) exchange(in[unit], out[unit]);
    }
    __syncthreads();
    if (busy) {
#pragma unroll
      for (int unit = 0; unit < units; ++unit) {
        Byte* to = tile + out_place((across + unit * units_across) * 4) + down * unit_words * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if constexpr (unit_words == 2) {
            store<8>(to, make_uint2(out[unit][i][0], out[unit][i][1]));
          } else {
#pragma unroll
            for (int k = 0; k < unit_words; ++k) store<4>(to + 4 * k, out[unit][i][k]);
          }
          to += out_row_bytes;
        }
      }
    }
  }

  // Whole sectors of the rows of the destination, so that no two blocks write to the same sector.
  template <class Thread>
  static __device__ __forceinline__ void store_columns(const Byte* tile, const TileArea& area,
                                                       Thread thread) {
    const int down = thread() % granules_down * granule;
    int column = thread() / granules_down;
    if (column >= columns_a_step) return;
    constexpr int first = before * pixel;
    const bool whole = area.has_rows(rows);
    Byte* row = area.dst + column * area.dst_pitch;
#pragma unroll
    for (int step = 0; step < rounds(width, columns_a_step); ++step) {
      if (column < area.columns) {
        const int at = first - static_cast<int>((low_bits(row) + first) % 32u) + down;
        const Byte* held = tile + out_place(column) + at;
        const int begin = area.first_row * pixel - at;
        const int end = area.end_row * pixel - at;
        if (whole) {
          store_granule(row + at, load_across(held));
        } else if (begin < granule && end > 0) {
          store_between(row + at, load_across(held), begin, end);
        }
      }
      column += columns_a_step;
      row += area.dst_pitch * columns_a_step;
    }
  }
};

}  // namespace qturn::device
