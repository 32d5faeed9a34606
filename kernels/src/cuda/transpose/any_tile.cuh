// A tile that a block transposes, of a picture that is aligned to its pixels or to their words.
// Single pictures (transpose_any.cu) and batches are drivers over it. Pixels of 1, 2 and 3 bytes
// are exchanged in registers (skewed_tile.cuh), the words of others are gathered one by one.
//
// A row of the tile lies in shared memory with the phase that it has in global memory. The copies
// are then 16 aligned bytes, and readers of the tile add the phase of the row. On the other side a
// thread makes an aligned granule of a row of the destination, whatever pixel it begins in, and
// gathers its words. A tile inside the picture is loaded and stored without checks between the
// granules, so several are in flight at once.
#pragma once

#include <type_traits>

#include "kernels/src/cuda/transpose/phased.cuh"
#include "kernels/src/cuda/transpose/skewed_tile.cuh"

namespace qturn::device {

template <int pixel, AnyTuning tuning, int threads>
struct GatheredTile : AnyTileShape<pixel, tuning> {
  using Shape = AnyTileShape<pixel, tuning>;
  using Shape::before, Shape::own_rows, Shape::rows, Shape::width;
  static constexpr int row_bytes = tuning.row_granules * granule;
  static constexpr int group_bytes = tuning.group_bytes;
  static_assert(width * pixel + granule - word_bytes(pixel) <= row_bytes);
  static constexpr int bytes = phased_bytes(row_bytes, rows);

  template <class Thread>
  static __device__ __forceinline__ void run(Byte* tile, const TileArea& area, Thread thread) {
    load_rows(tile, area, thread);
    finish_copies();
    store_columns(tile, area, thread);
  }

  /// As SkewedTile::run_again().
  template <class Area, class Thread>
  static __device__ __forceinline__ void run_again(Byte* tile, Area area, Thread thread) {
    load_rows(tile, area(), thread);
    finish_copies();
    store_columns(tile, area(), thread);
  }

 private:
  template <class Thread>
  static __device__ __forceinline__ void load_rows(Byte* tile, const TileArea& area,
                                                   Thread thread) {
    const PhasedTile phased(area.src, area.src_pitch, row_bytes);
    constexpr int granules = row_bytes / granule;
    const int wanted = area.columns * pixel;
    const auto each = [&](int number, auto start) {
      const int row = number / granules;
      const int place = phased.place(row, 0);
      const int column = number % granules * granule - place % granule;
      if (column >= wanted) return;
      start(row, tile + reordered<group_bytes>(place + column),
            area.src + row * area.src_pitch + column);
    };
    if (area.has_rows(rows) && area.is_inside(wanted)) {
#pragma unroll
      for (int step = 0; step < rounds(rows * granules, threads); ++step) {
        const int number = thread() + step * threads;
        if (rows * granules % threads != 0 && number >= rows * granules) break;
        each(number, [](int, Byte* to, const Byte* from) { start_copy<128>(to, from); });
      }
    } else {
#pragma unroll 1
      for (int number = thread(); number < rows * granules; number += threads) {
        each(number, [&](int row, Byte* to, const Byte* from) {
          if (row < area.first_row || row >= area.end_row) return;
          start_copy_between<128>(to, from, area.picture.begin, area.picture.end);
        });
      }
    }
  }

  template <class Thread>
  static __device__ __forceinline__ void store_columns(const Byte* tile, const TileArea& area,
                                                       Thread thread) {
    const PhasedTile phased(area.src, area.src_pitch, row_bytes);
    constexpr int word = word_bytes(pixel);
    constexpr int granules_down = own_rows * pixel / granule;
    const auto each = [&](int number, auto store) {
      const int column = number / granules_down;
      Byte* row = area.dst + column * area.dst_pitch + before * pixel;
      const int from_top = number % granules_down * granule - static_cast<int>(low_bits(row) % 32);
      const int at = before * pixel + from_top;
      const Granule value = gather<pixel>(
          at / word,
          [&](int of_row, int index) {
            return phased.place(of_row, column * pixel + index * word);
          },
          [&](int place, int below) {
            return load<word>(tile + reordered<group_bytes>(place + below * phased.pitch));
          });
      store(row + from_top, at, value);
    };
    constexpr int work = width * granules_down;
    if (area.has_rows(rows) && area.columns == width) {
#pragma unroll
      for (int step = 0; step < rounds(work, threads); ++step) {
        const int number = thread() + step * threads;
        if (work % threads != 0 && number >= work) break;
        each(number, [](Byte* to, int, const Granule& value) { store_granule(to, value); });
      }
    } else {
#pragma unroll 1
      for (int number = thread(); number < area.columns * granules_down; number += threads) {
        each(number, [&](Byte* to, int at, const Granule& value) {
          store_between(to, value, area.first_row * pixel - at, area.end_row * pixel - at);
        });
      }
    }
  }
};

template <int pixel, AnyTuning tuning, int threads>
using AnyTile = std::conditional_t<tuning.exchanges(), SkewedTile<pixel, tuning, threads>,
                                   GatheredTile<pixel, tuning, threads>>;

}  // namespace qturn::device
