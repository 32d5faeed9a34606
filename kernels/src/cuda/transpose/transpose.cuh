// What all transposing kernels share: one tile of the source per block, no loop over tiles, and an
// order of blocks in which the writes are consecutive.
//
// Consecutive blocks go down a column of the source. So together they write long pieces of the same
// rows of the destination, and the reads are scattered. On an H200 scattered writes of 128 bytes
// cost a fifth of the bandwidth, scattered reads next to nothing (2026-11). If that order spreads
// the reads too far (16-byte pixels in rows of 128 KB), blocks go down strips that are several
// tiles wide.
#pragma once

#include "kernels/src/cuda/check.hpp"
#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/reduced.hpp"

namespace qturn::device {

/// dst(x, y) = src(y, x). Width and height are the source's, in pixels.
struct Transpose {
  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t width;
  std::int64_t height;
  const Byte* begin;     // the source's first byte in memory; none before it are read,
  const Byte* end;       // and none from here on
  unsigned strip_shift;  // strips are 1 << strip_shift tiles wide
  unsigned early;        // so many blocks prefetch their tiles

  explicit Transpose(const Reduced& r, unsigned shift = 0, unsigned early_blocks = 0)
      : src(static_cast<const Byte*>(r.src.data)),
        dst(static_cast<Byte*>(r.dst.data)),
        src_pitch(r.src.pitch),
        dst_pitch(r.dst.pitch),
        width(r.src.width),
        height(r.src.height),
        begin(src_pitch < 0 ? src + (height - 1) * src_pitch : src),
        end(begin + (height - 1) * (src_pitch < 0 ? -src_pitch : src_pitch) + r.src.row_bytes()),
        strip_shift(shift),
        early(early_blocks) {}
};

/// The first source pixel of this block's tile.
struct TileOrigin {
  std::int64_t x;
  std::int64_t y;
};

__device__ __forceinline__ TileOrigin tile_origin(const Transpose& t, int tile_width,
                                                  int tile_height) {
  const unsigned strip = blockIdx.z * gridDim.y + blockIdx.y;
  const unsigned in_strip = blockIdx.x & ((1u << t.strip_shift) - 1);
  const std::int64_t tile_x = (std::int64_t{strip} << t.strip_shift) + in_strip;
  return {tile_x * tile_width, std::int64_t{blockIdx.x >> t.strip_shift} * tile_height};
}

/// The grid for `columns` x `rows` tiles. Its second dimension ends at 65,535; the third takes over
/// from there.
inline dim3 tile_grid(std::int64_t columns, std::int64_t rows, unsigned strip_shift) {
  const std::int64_t strips = (columns + (std::int64_t{1} << strip_shift) - 1) >> strip_shift;
  const std::int64_t down = strips < 32768 ? strips : 32768;
  return dim3(static_cast<unsigned>(rows << strip_shift), static_cast<unsigned>(down),
              static_cast<unsigned>((strips + down - 1) / down));
}

constexpr std::int64_t divide_up(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

/// Where granule `index` of a tile's row lies in shared memory. The order of the eight granules of
/// each 128-byte line depends on the row, so that threads which read the same column of different
/// rows use different banks. The line stays whole; padding would break it (2.6 times the read
/// requests on an H200, 2026-11).
__device__ __forceinline__ int swizzled(int index, int row_group) {
  return index ^ (row_group & 7);
}

/// Waits for the kernel before this one. In the meantime the first blocks prefetch the `bytes_left`
/// x `rows_left` of their tiles that lie in the image, unless the image ends within a tile's rows.
template <int row_bytes, int rows, int threads>
__device__ __forceinline__ void wait_prefetching(const Transpose& t, const Byte* src,
                                                 std::int64_t bytes_left, std::int64_t rows_left) {
  wait_for_previous_kernel([&] {
    if (threadIdx.x % 32 != 0 || bytes_left < row_bytes || !is_among_first(t.early)) return;
    const int end = rows_left < rows ? static_cast<int>(rows_left) : rows;
    for (int row = static_cast<int>(threadIdx.x) / 32; row < end; row += threads / 32) {
      prefetch_row<row_bytes>(src + row * t.src_pitch);
    }
  });
}

/// Starts the copies of a tile of `rows` rows of `row_bytes` into shared memory: all of it, or the
/// `bytes_left` x `rows_left` of it that lie in the image. Rows are swizzled in groups.
template <int row_bytes, int rows, int threads, int group_rows, int prefetch>
__device__ __forceinline__ void start_tile(const Transpose& t, Byte* tile, const Byte* src,
                                           std::int64_t bytes_left, std::int64_t rows_left) {
  constexpr int granules = row_bytes / granule;
  constexpr int steps = rows * granules / threads;
  static_assert(row_bytes % 128 == 0 && rows * granules % threads == 0);
  const bool whole = bytes_left >= row_bytes && rows_left >= rows;
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    // Where the threads cover whole rows at once, each stays in its column.
    constexpr bool straight = threads % granules == 0;
    const int number = static_cast<int>(threadIdx.x) + (straight ? 0 : step * threads);
    const int row = number / granules + (straight ? step * (threads / granules) : 0);
    const int column = number % granules;
    Byte* to = tile + row * row_bytes + swizzled(column, row / group_rows) * granule;
    const Byte* from = src + row * t.src_pitch + column * granule;
    if (whole) {
      start_copy<prefetch>(to, from);
    } else if (row < rows_left && column * granule < bytes_left) {
      start_copy_between<prefetch>(to, from, t.begin, t.end);
    }
  }
}

/// 16 bytes of a column of a tile: its words from number `first` on. `place(row, word)` is where
/// that word of the pixel of a row lies, and `load_below(place, rows)` reads the same word so many
/// rows below.
template <int pixel, class Place, class Load>
__device__ __forceinline__ Granule gather(int first, Place place, Load load_below) {
  constexpr int word = word_bytes(pixel);
  constexpr int words_in_pixel = pixel / word;
  constexpr int words_in_granule = granule / word;
  constexpr int period = words_in_pixel < words_in_granule ? words_in_pixel : words_in_granule;
  decltype(place(0, 0)) places[period];
#pragma unroll
  for (int i = 0; i < period; ++i) {
    places[i] = place((first + i) / words_in_pixel, (first + i) % words_in_pixel);
  }
  union {
    Granule value;
    Word<word> part[words_in_granule];
  } out;
#pragma unroll
  for (int i = 0; i < words_in_granule; ++i) {
    out.part[i] = load_below(places[i % period], i / period);
  }
  return out.value;
}

}  // namespace qturn::device
