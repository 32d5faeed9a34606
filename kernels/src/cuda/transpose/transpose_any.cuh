// Transposing kernels for pictures that are aligned to their pixels only.
//
// Memory is fast in aligned pieces, but here each row of the source and each row of the destination
// begins at another place within 16 bytes. So a row of the tile lies in shared memory with the
// phase that it has in global memory. The copies are then 16 aligned bytes, and readers of the tile
// add the phase of the row. On the other side a thread makes an aligned granule of a row of the
// destination, whatever pixel it begins in. Tiles therefore end at multiples of 32 bytes, at
// another pixel in each row of the destination, so that no two blocks write to one sector: a tile
// reads as many rows before its first one as lie in 31 bytes.
//
//   4 bytes and more, and 6   words are gathered one by one, as where all is aligned (gather)
//   1, 2 and 3                pixels are exchanged in registers (skewed_tile.cuh)
#ifndef QTURN_KERNELS_CUDA_TRANSPOSE_TRANSPOSE_ANY_CUH
#define QTURN_KERNELS_CUDA_TRANSPOSE_TRANSPOSE_ANY_CUH

#include "kernels/src/cuda/transpose/phased.cuh"
#include "kernels/src/cuda/transpose/skewed_tile.cuh"

namespace qturn::device {

/// Starts the copies of `rows` rows, of which those from `first_row` on to before `end_row` exist.
/// `src` is the first pixel of row 0, if that exists; `wanted` bytes of each row are.
template <int row_bytes, int rows, int threads, int group_bytes, int prefetch>
__device__ __forceinline__ PhasedTile start_phased_tile(const Transpose& t, Byte* tile,
                                                        const Byte* src, int first_row, int end_row,
                                                        int wanted) {
  constexpr int granules = row_bytes / granule;
  const PhasedTile phased(src, t.src_pitch, row_bytes);
  const Byte* last = src + (rows - 1) * t.src_pitch;
  const bool inside = first_row == 0 && end_row == rows &&
                      (src < last ? src : last) - granule >= t.begin &&
                      (src < last ? last : src) + row_bytes <= t.end;
  const auto each = [&](int number, auto start) {
    const int row = number / granules;
    const int place = phased.place(row, 0);
    const int column = number % granules * granule - place % granule;
    if (column >= wanted) return;
    start(row, tile + reordered<group_bytes>(place + column), src + row * t.src_pitch + column);
  };
  if (inside) {
#pragma unroll
    for (int step = 0; step < rounds(rows * granules, threads); ++step) {
      const int number = static_cast<int>(threadIdx.x) + step * threads;
      if (rows * granules % threads != 0 && number >= rows * granules) break;
      each(number, [](int, Byte* to, const Byte* from) { start_copy<prefetch>(to, from); });
    }
  } else {
#pragma unroll 1
    for (int number = static_cast<int>(threadIdx.x); number < rows * granules; number += threads) {
      each(number, [&](int row, Byte* to, const Byte* from) {
        if (row < first_row || row >= end_row) return;
        start_copy_between<prefetch>(to, from, t.begin, t.end);
      });
    }
  }
  return phased;
}

/// The work of a block of these kernels.
template <int pixel, int width, int height, int before>
struct AnyTile {
  static_assert(height * pixel % 32 == 0 && before * pixel >= 31);

  std::int64_t first_row;  // of the source, in shared memory; may be negative
  const Byte* src;         // its first pixel
  Byte* dst;               // the row of the destination that is the tile's first column
  std::int64_t top;        // bytes in a row of the destination before the tile's nominal beginning
  int columns;
  int skipped;  // rows that do not exist, before the first
  int end_row;  // the first row in shared memory that does not exist

  /// False if the block has nothing to do.
  __device__ __forceinline__ bool find(const Transpose& t) {
    const TileOrigin origin = tile_origin(t, width, height);
    if (origin.x >= t.width) return false;
    const std::int64_t columns_left = t.width - origin.x;
    columns = columns_left < width ? static_cast<int>(columns_left) : width;
    first_row = origin.y - before;
    skipped = first_row < 0 ? static_cast<int>(-first_row) : 0;
    const std::int64_t rows_left = t.height - first_row;
    end_row = rows_left < height + before ? static_cast<int>(rows_left) : height + before;
    src = t.src + first_row * t.src_pitch + origin.x * pixel;
    dst = t.dst + origin.x * t.dst_pitch;
    top = origin.y * pixel;
    return true;
  }

  /// Writes the tile's share of the destination. `make(from_top, column)` is the granule that lies
  /// `from_top` bytes from the tile's nominal beginning; the part of it outside the picture is not
  /// written. If all of it is inside, there are no checks between the granules, so several are in
  /// flight at once.
  template <int threads, int piece, class Make>
  __device__ __forceinline__ void write(const Transpose& t, Make make) const {
    constexpr int granules_down = height * pixel / granule;
    constexpr int work = granules_down * width;
    const auto place = [&](int number, Byte*& row, int& from_top, int& column) {
      column = number / granules_down;
      row = dst + column * t.dst_pitch;
      from_top = number % granules_down * granule - static_cast<int>(low_bits(row + top) % 32);
    };
    Byte* row;
    int from_top;
    int column;
    if (columns == width && top >= 32 && top + height * pixel <= t.height * pixel) {
#pragma unroll
      for (int step = 0; step < rounds(work, threads); ++step) {
        const int number = static_cast<int>(threadIdx.x) + step * threads;
        if (work % threads != 0 && number >= work) break;
        place(number, row, from_top, column);
        store_granule(row + top + from_top, make(from_top, column));
      }
    } else {
#pragma unroll 1
      for (int number = static_cast<int>(threadIdx.x); number < work; number += threads) {
        place(number, row, from_top, column);
        if (column >= columns) return;
        store_inside<piece>(row, make(from_top, column), top + from_top, t.height * pixel);
      }
    }
  }
};

template <int pixel, int row_bytes, int width, int height, int before, int threads, int group_bytes,
          int prefetch>
__global__ void __launch_bounds__(threads, resident_threads / threads)
    transpose_any_gather(const Transpose t) {
  constexpr int word = word_bytes(pixel);
  constexpr int words_in_pixel = pixel / word;
  constexpr int words_in_granule = granule / word;
  constexpr int rows = height + before;
  static_assert(width * pixel + granule - word <= row_bytes);

  alignas(128) __shared__ Byte tile[phased_bytes(row_bytes, rows)];
  wait_for_previous_kernel();
  AnyTile<pixel, width, height, before> any;
  if (!any.find(t)) return;
  const PhasedTile phased = start_phased_tile<row_bytes, rows, threads, group_bytes, prefetch>(
      t, tile, any.src, any.skipped, any.end_row, any.columns * pixel);
  finish_copies();

  any.template write<threads, (word < 4 ? word : 4)>(t, [&](int from_top, int across) {
    const int first = (from_top + before * pixel) / word;
    // This many words further on is the same word of the pixel one row below, a pitch away.
    constexpr int period = words_in_pixel < words_in_granule ? words_in_pixel : words_in_granule;
    int place[period];
#pragma unroll
    for (int i = 0; i < period; ++i) {
      place[i] = phased.place((first + i) / words_in_pixel,
                              across * pixel + (first + i) % words_in_pixel * word);
    }
    union {
      Granule value;
      Word<word> part[words_in_granule];
    } out;
#pragma unroll
    for (int i = 0; i < words_in_granule; ++i) {
      out.part[i] =
          load<word>(tile + reordered<group_bytes>(place[i % period] + i / period * phased.pitch));
    }
    return out.value;
  });
}

/// `Tile` is a SkewedTile of `width` pixels.
template <class Tile, int pixel, int width, int before>
__global__ void __launch_bounds__(Tile::threads, resident_threads / Tile::threads)
    transpose_any_skewed(const Transpose t) {
  alignas(128) __shared__ Byte tile[Tile::bytes];
  AnyTile<pixel, width, Tile::own_rows, before> any;
  if (!any.find(t)) return;
  const SkewedArea area{any.src,     t.src_pitch,     any.dst + (any.top - before * pixel),
                        t.dst_pitch, any.columns,     any.skipped,
                        any.end_row, {t.begin, t.end}};
  wait_for_previous_kernel([&] {
    if (is_among_first(t.early)) Tile::prefetch_rows(area);
  });
  Tile::run(tile, area);
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_CUDA_TRANSPOSE_TRANSPOSE_ANY_CUH
