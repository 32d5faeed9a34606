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
//   1, 2 and 3                4 x 4 (or 8 x 4) pixels are exchanged in registers, written back to
//                             shared memory, and shifted into place from there (shift)
//
// Copies may read the bytes before a row that share its first aligned 16, never bytes behind it.
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
/// `src` is the first pixel of row 0, if that exists. `tile_bytes` of each row are wanted,
/// `bytes_left` may be read.
template <int row_bytes, int rows, int threads, int group_rows, int prefetch>
__device__ __forceinline__ PhasedTile start_phased_tile(Byte* tile, const Byte* src,
                                                        std::int64_t pitch, int first_row,
                                                        int end_row, int tile_bytes,
                                                        int bytes_left) {
  constexpr int granules = row_bytes / granule;
  const PhasedTile phased{low_bits(src), static_cast<unsigned>(pitch)};
  const int wanted = tile_bytes < bytes_left ? tile_bytes : bytes_left;
#pragma unroll
  for (int step = 0; step < steps(rows * granules, threads); ++step) {
    const int number = static_cast<int>(threadIdx.x) + step * threads;
    if (rows * granules % threads != 0 && number >= rows * granules) break;
    const int row = number / granules;
    const int column = number % granules;
    const int offset = column * granule - phased.phase(row);
    if (row >= first_row && row < end_row && offset < wanted) {
      Byte* to = tile + row * row_bytes + swizzled(column, row / group_rows) * granule;
      const Byte* from = src + row * pitch + offset;
      start_copy_inside<prefetch>(to, from, bytes_left - offset);
    }
  }
  return phased;
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
  int bytes_left;

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
    const std::int64_t bytes = columns_left * pixel;
    bytes_left = bytes < 1024 ? static_cast<int>(bytes) : 1024;
    src = t.src + first_row * t.src_pitch + origin.x * pixel;
    dst = t.dst + origin.x * t.dst_pitch;
    top = origin.y * pixel;
    return true;
  }
};

template <int pixel, int row_bytes, int width, int height, int before, int threads, int group_rows,
          int prefetch>
__global__ void __launch_bounds__(threads, resident_threads / threads)
    transpose_any_gather(const Transpose t) {
  constexpr int word = word_bytes(pixel);
  constexpr int rows = height + before;
  constexpr int granules_down = height * pixel / granule;
  static_assert(width * pixel + granule - word <= row_bytes);

  alignas(128) __shared__ Byte tile[rows * row_bytes];
  AnyTile<pixel, width, height, before> any;
  if (!any.find(t)) return;
  const PhasedTile phased = start_phased_tile<row_bytes, rows, threads, group_rows, prefetch>(
      tile, any.src, t.src_pitch, any.skipped, any.end_row, width * pixel, any.bytes_left);
  finish_copies();

#pragma unroll
  for (int step = 0; step < steps(granules_down * width, threads); ++step) {
    const int number = static_cast<int>(threadIdx.x) + step * threads;
    if (granules_down * width % threads != 0 && number >= granules_down * width) return;
    const int down = number % granules_down;
    const int across = number / granules_down;
    if (across >= any.columns) return;
    Byte* row_of_dst = any.dst + across * t.dst_pitch;
    const auto shift = static_cast<int>(low_bits(row_of_dst + any.top) % 32);
    const int from_top = down * granule - shift;
    union {
      Granule value;
      Word<word> part[granule / word];
    } out;
#pragma unroll
    for (int i = 0; i < granule / word; ++i) {
      const int index = (from_top + before * pixel) / word + i;
      const int row = index / (pixel / word);
      const int at = phased.phase(row) + across * pixel + index % (pixel / word) * word;
      out.part[i] = load<word>(tile + row * row_bytes +
                               swizzled(at / granule, row / group_rows) * granule + at % granule);
    }
    store_inside<(word < 4 ? word : 4)>(row_of_dst, out.value, any.top + from_top,
                                        t.height * pixel);
  }
}

/// 16 bytes of shared memory at any address, by two aligned reads.
__device__ __forceinline__ Granule load_shifted(const Byte* from) {
  const unsigned phase = low_bits(from) % granule;
  const uint4 a = load<16>(from - phase);
  const uint4 b = load<16>(from - phase + granule);
  const std::uint32_t in[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  std::uint32_t by_two[6];
  std::uint32_t by_one[5];
#pragma unroll
  for (int i = 0; i < 6; ++i) by_two[i] = (phase & 8) != 0 ? in[i + 2] : in[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) by_one[i] = (phase & 4) != 0 ? by_two[i + 1] : by_two[i];
  Granule out;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    out.word[i] = __funnelshift_r(by_one[i], by_one[i + 1], phase * 8);
  }
  return out;
}

/// Each thread exchanges 4 columns of 8 (1-byte pixels) or 4 rows.
template <int pixel, int row_bytes, int width, int height, int before, int threads, int prefetch>
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
  static_assert(padded_down * ((units_across + 3) / 4 * 4) <= threads);
  // Rows of the destination lie here with room for one granule more, at an offset from group to
  // group of four that puts the words which a warp writes at once into different banks.
  constexpr int out_row_bytes = (rows * pixel + granule - 1) / granule * granule + granule;
  constexpr int wanted_offset = pixel == 3 ? 96 : 64;  // modulo 128, of 4 rows
  constexpr int out_padding = ((wanted_offset - 4 * out_row_bytes) % 128 + 128) % 128;
  constexpr int out_bytes = width * out_row_bytes + units_across * out_padding;
  constexpr int in_bytes = rows * row_bytes;
  constexpr int granules_down = height * pixel / granule;

  // First the tile as it was read, then as it will be written.
  alignas(128) __shared__ Byte tile[in_bytes > out_bytes ? in_bytes : out_bytes];
  AnyTile<pixel, width, height, before> any;
  if (!any.find(t)) return;
  const PhasedTile phased = start_phased_tile<row_bytes, rows, threads, unit_rows, prefetch>(
      tile, any.src, t.src_pitch, any.skipped, any.end_row, width * pixel, any.bytes_left);
  finish_copies();

  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int down = warp % (padded_down / 8) * 8 + lane % 8;
  const int across = warp / (padded_down / 8) * 4 + lane / 8;
  const bool busy = down < units_down && across < units_across;
  std::uint32_t out[4][unit_words];
  if (busy) {
    std::uint32_t in[unit_rows][pixel];
#pragma unroll
    for (int i = 0; i < unit_rows; ++i) {
      const int row = down * unit_rows + i;
      const int at = phased.phase(row) + across * 4 * pixel;
      const Byte* from = tile + row * row_bytes;
      const auto word_at = [&](int index) {
        return load<4>(from + swizzled(index / 4, down) * granule + index % 4 * 4);
      };
      std::uint32_t low = word_at(at / 4);
#pragma unroll
      for (int k = 0; k < pixel; ++k) {
        // The word behind the last one is needed only where the phase is no multiple of 4, and
        // then it is there.
        const std::uint32_t high = word_at(at / 4 + (k + 1 < pixel || at % 4 != 0 ? k + 1 : k));
        in[i][k] = __funnelshift_r(low, high, static_cast<unsigned>(at) * 8);
        low = high;
      }
    }
    exchange(in, out);
  }
  __syncthreads();
  if (busy) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      Byte* to =
          tile + (across * 4 + i) * out_row_bytes + across * out_padding + down * unit_words * 4;
      if constexpr (unit_words == 2) {
        store<8>(to, make_uint2(out[i][0], out[i][1]));
      } else {
#pragma unroll
        for (int k = 0; k < unit_words; ++k) store<4>(to + 4 * k, out[i][k]);
      }
    }
  }
  __syncthreads();

#pragma unroll
  for (int step = 0; step < steps(granules_down * width, threads); ++step) {
    const int number = static_cast<int>(threadIdx.x) + step * threads;
    if (granules_down * width % threads != 0 && number >= granules_down * width) return;
    const int granule_down = number % granules_down;
    const int column = number / granules_down;
    if (column >= any.columns) return;
    Byte* row_of_dst = any.dst + column * t.dst_pitch;
    const auto shift = static_cast<int>(low_bits(row_of_dst + any.top) % 32);
    const int from_top = granule_down * granule - shift;
    const Granule value = load_shifted(tile + column * out_row_bytes + column / 4 * out_padding +
                                       from_top + before * pixel);
    store_inside<1>(row_of_dst, value, any.top + from_top, t.height * pixel);
  }
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_TRANSPOSE_ANY_CUH
