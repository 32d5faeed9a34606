// The transposing kernel for pixels of 1, 2 and 3 bytes that are aligned to themselves only.
//
// Rows come into shared memory with their phase, as in all kernels for this alignment. 4 x 4 (or
// 8 x 4) pixels are exchanged in registers and written back over the tile as rows of the
// destination, from which granules are shifted into place.
//
// These kernels are short of instructions, not of memory, so addresses are linear: nothing is
// reordered. What puts the words that a warp reads at once into different banks is that the rows of
// a unit begin a few granules, the skew, after those of the unit above. A thread's places on either
// side lie a constant apart, it exchanges two units of the same rows where registers allow, and the
// tile lies in shared memory once. Measured on an H200 (4095x4093, one pixel into the memory, 1, 2
// and 3 bytes, % of a copy, 2026-11-22):
//
//   units one by one, granules reordered, two tiles of shared memory   60   72   72
//   this                                                               66   78   78
//   and with the first tiles prefetched                                69   79   79
//   words copied one by one, aligned by shuffles, stored by lanes      52   70   69
#ifndef QTURN_KERNELS_TRANSPOSE_ANY_SHIFT_CUH
#define QTURN_KERNELS_TRANSPOSE_ANY_SHIFT_CUH

#include "kernels/src/exchange.cuh"
#include "kernels/src/transpose_any.cuh"

namespace qturn::device {

/// `width` pixels of `rows` rows, of which `before` are shared with the tile above. A thread
/// exchanges `units` units at once.
template <int pixel_, int width_, int rows_, int before_, int threads_, int units_>
struct ShiftTile {
  static constexpr int pixel = pixel_;
  static constexpr int width = width_;
  static constexpr int rows = rows_;
  static constexpr int before = before_;
  static constexpr int threads = threads_;
  static constexpr int units = units_;
  static constexpr int height = rows - before;

  static constexpr int unit_rows = pixel == 1 ? 8 : 4;
  static constexpr int unit_words = unit_rows * pixel / 4;  // of a row of the destination
  static constexpr int units_down = rows / unit_rows;
  static constexpr int units_across = width / 4 / units;  // those of one thread as one
  static_assert(rows % unit_rows == 0 && width % (4 * units) == 0);

  // A warp is a rectangle of units. Its lanes down lie a skew apart, modulo 128 bytes, its lanes
  // across as many bytes as 4 pixels have.
  static constexpr int lanes_down = pixel == 3 ? 4 : 8;
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int skew = 128 / lanes_down;
  static constexpr int warps_down = divide_up(units_down, lanes_down);
  static constexpr int warps_across = divide_up(units_across, lanes_across);
  static_assert(warps_down * warps_across * 32 <= threads);

  static constexpr int granules = (width * pixel + 2 * granule - 2) / granule;  // of a row
  static constexpr int row_bytes = (unit_rows == 8 ? granules : (granules + 1) / 2 * 2) * granule;
  static_assert(unit_rows * row_bytes % 128 == 0);
  static constexpr int in_bytes = rows * row_bytes + units_down * skew;
  // Each step copies as many rows, if that leaves a thread's phase as it is a multiple of 16.
  static constexpr int rows_a_step = threads / granules / granule * granule;
  static_assert(rows_a_step > 0);

  // Rows of the destination have a granule more on either side, and after each four of them as much
  // as puts what a warp writes at once into different banks.
  static constexpr int out_row_bytes =
      (rows * pixel + granule - 1) / granule * granule + 2 * granule;
  static constexpr int written = lanes_down * unit_words * 4;
  static constexpr int out_padding = ((written - 4 * out_row_bytes) % 128 + 128) % 128;
  static constexpr int out_bytes = width * out_row_bytes + width / 4 * out_padding;
  static constexpr int bytes = in_bytes > out_bytes ? in_bytes : out_bytes;

  static constexpr int granules_down = height * pixel / granule;  // that are stored
  static constexpr int columns_a_step = threads / granules_down;
  static_assert(height * pixel % 32 == 0 && before * pixel >= 31);

  /// Where column `column` of the destination's rows lies.
  static __device__ __forceinline__ int out_place(int column) {
    return granule + column * out_row_bytes + column / 4 * out_padding;
  }
};

/// What a block works on.
template <class Tile>
using ShiftArea = AnyTile<Tile::pixel, Tile::width, Tile::height, Tile::before>;

/// Prefetches the tile's rows, if the block is among the first. Line by line: the copy engine takes
/// longer for so many short rows than the kernel before takes to drain (1 byte: 55 % of a copy).
template <class Tile>
__device__ __forceinline__ void prefetch_tile(const Transpose& t, const ShiftArea<Tile>& area) {
  if (!is_among_first(t.early)) return;
  constexpr int lines = (Tile::width * Tile::pixel + 127) / 128;
  for (int number = static_cast<int>(threadIdx.x); number < Tile::rows * lines;
       number += Tile::threads) {
    const int row = number / lines;
    const int at = number % lines * 128;
    if (row >= area.skipped && row < area.end_row && at < area.columns * Tile::pixel) {
      prefetch_line(area.src + row * t.src_pitch + at);
    }
  }
}

/// Starts the copies of the tile's rows.
template <class Tile, int prefetch>
__device__ __forceinline__ void start_skewed_tile(const Transpose& t, Byte* tile,
                                                  const ShiftArea<Tile>& area) {
  const int column = static_cast<int>(threadIdx.x) % Tile::granules * granule;
  const int first = static_cast<int>(threadIdx.x) / Tile::granules;
  if (first >= Tile::rows_a_step) return;
  const Byte* from = area.src + first * t.src_pitch + column;
  from -= low_bits(from) % granule;
  const int wanted = area.columns * Tile::pixel;
  if (from - (area.src + first * t.src_pitch) >= wanted) return;
  const Byte* top = area.src + area.skipped * t.src_pitch;
  const Byte* bottom = area.src + (area.end_row - 1) * t.src_pitch;
  const bool inside = (top < bottom ? top : bottom) - granule >= t.begin &&
                      (top < bottom ? bottom : top) + wanted + granule <= t.end;
#pragma unroll
  for (int step = 0; step < steps(Tile::rows, Tile::rows_a_step); ++step) {
    const int row = first + step * Tile::rows_a_step;
    Byte* to = tile + row * Tile::row_bytes + row / Tile::unit_rows * Tile::skew + column;
    if (row >= area.skipped && row < area.end_row) {
      if (inside) {
        start_copy<prefetch>(to, from);
      } else {
        start_copy_between<prefetch>(to, from, t.begin, t.end);
      }
    }
    from += t.src_pitch * Tile::rows_a_step;
  }
}

/// Exchanges the pixels of all units: from rows of the source to rows of the destination, in the
/// same memory. `low` are the low bits of the address of row 0, `pitch` those of the pitch.
template <class Tile>
__device__ __forceinline__ void exchange_units(Byte* tile, unsigned low, unsigned pitch) {
  constexpr int pixel = Tile::pixel;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int down = warp % Tile::warps_down * Tile::lanes_down + lane % Tile::lanes_down;
  const int across = warp / Tile::warps_down * Tile::lanes_across + lane / Tile::lanes_down;
  const bool busy = down < Tile::units_down && across < Tile::units_across;
  std::uint32_t out[Tile::units][4][Tile::unit_words];
  if (busy) {
    std::uint32_t in[Tile::units][Tile::unit_rows][pixel];
    const Byte* row = tile + down * (Tile::unit_rows * Tile::row_bytes + Tile::skew);
    unsigned phase = low + static_cast<unsigned>(down * Tile::unit_rows) * pitch;
#pragma unroll
    for (int i = 0; i < Tile::unit_rows; ++i) {
      const unsigned place = phase % granule + static_cast<unsigned>(across * 4 * pixel);
#pragma unroll
      for (int unit = 0; unit < Tile::units; ++unit) {
        const Byte* from = row + place / 4 * 4 + unit * Tile::units_across * 4 * pixel;
        std::uint32_t first = load<4>(from);
#pragma unroll
        for (int k = 0; k < pixel; ++k) {
          const std::uint32_t second = load<4>(from + 4 * k + 4);
          in[unit][i][k] = __funnelshift_r(first, second, place * 8);
          first = second;
        }
      }
      row += Tile::row_bytes;
      phase += pitch;
    }
#pragma unroll
    for (int unit = 0; unit < Tile::units; ++unit) exchange(in[unit], out[unit]);
  }
  __syncthreads();
  if (busy) {
#pragma unroll
    for (int unit = 0; unit < Tile::units; ++unit) {
      Byte* to = tile + Tile::out_place((across + unit * Tile::units_across) * 4) +
                 down * Tile::unit_words * 4;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (Tile::unit_words == 2) {
          store<8>(to, make_uint2(out[unit][i][0], out[unit][i][1]));
        } else {
#pragma unroll
          for (int k = 0; k < Tile::unit_words; ++k) store<4>(to + 4 * k, out[unit][i][k]);
        }
        to += Tile::out_row_bytes;
      }
    }
  }
}

/// Stores the tile's share of the destination: of each of its rows the whole sectors that begin in
/// the tile or less than 32 bytes before it.
template <class Tile>
__device__ __forceinline__ void store_shifted(const Transpose& t, const Byte* tile,
                                              const ShiftArea<Tile>& area) {
  const int down = static_cast<int>(threadIdx.x) % Tile::granules_down * granule;
  int column = static_cast<int>(threadIdx.x) / Tile::granules_down;
  if (column >= Tile::columns_a_step) return;
  constexpr int before = Tile::before * Tile::pixel;
  const std::int64_t end = t.height * Tile::pixel;  // of a row of the destination
  const bool whole = area.top >= 32 && area.top + Tile::height * Tile::pixel <= end;
  Byte* top = area.dst + column * t.dst_pitch + area.top;
#pragma unroll
  for (int step = 0; step < steps(Tile::width, Tile::columns_a_step); ++step) {
    if (column < area.columns) {
      const int from_top = down - static_cast<int>(low_bits(top) % 32);
      const Granule value = load_across(tile + Tile::out_place(column) + before + from_top);
      if (whole) {
        store_granule(top + from_top, value);
      } else {
        store_inside<1>(top - area.top, value, area.top + from_top, end);
      }
    }
    column += Tile::columns_a_step;
    top += t.dst_pitch * Tile::columns_a_step;
  }
}

template <class Tile, int prefetch>
__global__ void __launch_bounds__(Tile::threads, resident_threads / Tile::threads)
    transpose_any_shift(const Transpose t) {
  alignas(128) __shared__ Byte tile[Tile::bytes];
  ShiftArea<Tile> area;
  if (!area.find(t)) return;
  wait_for_previous_kernel([&] { prefetch_tile<Tile>(t, area); });
  start_skewed_tile<Tile, prefetch>(t, tile, area);
  finish_copies();
  exchange_units<Tile>(tile, low_bits(area.src), static_cast<unsigned>(t.src_pitch));
  __syncthreads();
  store_shifted<Tile>(t, tile, area);
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_TRANSPOSE_ANY_SHIFT_CUH
