// Transposing kernels for pictures that are aligned to their pixels only.
//
// Memory moves fast in aligned pieces, but here each row of the source and each row of the
// destination begins somewhere else within 16 bytes. So a row of the tile lies in shared memory
// with the phase that it has in global memory: the copies stay aligned 16 bytes, and whoever reads
// the tile adds the phase of the row. On the other side a thread makes an aligned granule of a row
// of the destination, whatever pixel it begins in. Tiles therefore end at multiples of 32 bytes, at
// another pixel in each row of the destination, so that no two blocks write to one sector: a tile
// reads as many rows before its first one as lie in 31 bytes.
//
//   4 bytes and more, and 6   words are gathered one by one, as where all is aligned (gather)
//   1, 2 and 3                4 x 4 (or 8 x 4) pixels are exchanged in registers, written to shared
//                             memory in the new order, and shifted into place from there (shift)
#ifndef QTURN_KERNELS_TRANSPOSE_ANY_CUH
#define QTURN_KERNELS_TRANSPOSE_ANY_CUH

#include "kernels/src/exchange.cuh"
#include "kernels/src/phased.cuh"

namespace qturn::device {

/// How often all threads of a block must come round to do `work`. A loop with this constant is
/// unrolled whole; one that asks each time whether work is left is not.
__host__ __device__ constexpr int steps(int work, int threads) {
  return (work + threads - 1) / threads;
}

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
    for (int step = 0; step < steps(rows * granules, threads); ++step) {
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

/// The words of four pixels at any place.
template <int group_bytes, int count>
__device__ __forceinline__ void load_words(const Byte* tile, int place,
                                           std::uint32_t (&words)[count]) {
  const int aligned = place / 4 * 4;
  std::uint32_t low = load<4>(tile + reordered<group_bytes>(aligned));
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const std::uint32_t high = load<4>(tile + reordered<group_bytes>(aligned + 4 * i + 4));
    words[i] = __funnelshift_r(low, high, static_cast<unsigned>(place) * 8);
    low = high;
  }
}

/// What a block of these kernels works on.
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
  /// `from_top` bytes from the tile's nominal beginning; what lies outside the picture in it is not
  /// written. Where all of it is inside, nothing is asked between the granules, so that several are
  /// under way at once.
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
      for (int step = 0; step < steps(work, threads); ++step) {
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
  AnyTile<pixel, width, height, before> any;
  if (!any.find(t)) return;
  wait_prefetching<threads>(t, any.src, any.skipped, any.end_row, any.columns * pixel);
  const PhasedTile phased = start_phased_tile<row_bytes, rows, threads, group_bytes, prefetch>(
      t, tile, any.src, any.skipped, any.end_row, any.columns * pixel);
  finish_copies();

  any.template write<threads, (word < 4 ? word : 4)>(t, [&](int from_top, int across) {
    const int first = (from_top + before * pixel) / word;
    // As many words further on the same word of the next row lies a pitch away.
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

/// A unit of work is 4 columns of 8 rows (1-byte pixels) or 4, exchanged.
template <int pixel, int row_bytes, int width, int height, int before, int threads, int group_bytes,
          int prefetch>
__global__ void __launch_bounds__(threads, resident_threads / threads)
    transpose_any_shift(const Transpose t) {
  static_assert(pixel <= 3 && width % 4 == 0 && width * pixel + granule - 1 <= row_bytes);
  constexpr int rows = height + before;
  constexpr int unit_rows = pixel == 1 ? 8 : 4;
  constexpr int unit_words = unit_rows * pixel / 4;  // of a row of the destination
  constexpr int units_down = rows / unit_rows;
  constexpr int units_across = width / 4;
  static_assert(rows % unit_rows == 0);
  constexpr int padded_down = (units_down + 7) / 8 * 8;  // in warps of 8 x 4
  constexpr int units = padded_down * ((units_across + 3) / 4 * 4);
  // Rows of the destination lie here with room for one granule more, at an offset from group to
  // group of four that puts the words which a warp writes at once into different banks.
  constexpr int out_row_bytes = (rows * pixel + granule - 1) / granule * granule + granule;
  constexpr int wanted_offset = pixel == 3 ? 96 : 64;  // modulo 128, of 4 rows
  constexpr int out_padding = ((wanted_offset - 4 * out_row_bytes) % 128 + 128) % 128;

  alignas(128) __shared__ Byte tile[phased_bytes(row_bytes, rows)];
  alignas(128) __shared__ Byte turned[width * out_row_bytes + units_across * out_padding];
  AnyTile<pixel, width, height, before> any;
  if (!any.find(t)) return;
  wait_prefetching<threads>(t, any.src, any.skipped, any.end_row, any.columns * pixel);
  const PhasedTile phased = start_phased_tile<row_bytes, rows, threads, group_bytes, prefetch>(
      t, tile, any.src, any.skipped, any.end_row, any.columns * pixel);
  finish_copies();

#pragma unroll
  for (int step = 0; step < steps(units, threads); ++step) {
    const int number = static_cast<int>(threadIdx.x) + step * threads;
    if (units % threads != 0 && number >= units) break;
    const int warp = number / 32;
    const int lane = number % 32;
    const int down = warp % (padded_down / 8) * 8 + lane % 8;
    const int across = warp / (padded_down / 8) * 4 + lane / 8;
    if (down >= units_down || across >= units_across) continue;
    std::uint32_t in[unit_rows][pixel];
#pragma unroll
    for (int i = 0; i < unit_rows; ++i) {
      load_words<group_bytes>(tile, phased.place(down * unit_rows + i, across * 4 * pixel), in[i]);
    }
    std::uint32_t out[4][unit_words];
    exchange(in, out);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      Byte* to =
          turned + (across * 4 + i) * out_row_bytes + across * out_padding + down * unit_words * 4;
      if constexpr (unit_words == 2) {
        store<8>(to, make_uint2(out[i][0], out[i][1]));
      } else {
#pragma unroll
        for (int k = 0; k < unit_words; ++k) store<4>(to + 4 * k, out[i][k]);
      }
    }
  }
  __syncthreads();

  any.template write<threads, 1>(t, [&](int from_top, int column) {
    return load_across(turned + column * out_row_bytes + column / 4 * out_padding + from_top +
                       before * pixel);
  });
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_TRANSPOSE_ANY_CUH
