// A tile of 1- or 3-byte pixels that a block transposes, whatever the alignment of the picture.
//
// As in turned_tile.cuh each row keeps in shared memory the phase that it has in global memory, and
// pixels are exchanged in registers. Here rows follow one another at a distance that is a power of
// two, moved on a little after each unit of rows: that keeps a warp's reads in different banks as
// well as an order of granules that changes from row to row would, but places stay linear, so a
// thread steps from row to row by adding. Tiles inside the picture, most of them, are loaded and
// stored without a look at its bounds.
//
// 64 pictures of random sizes, tight, rotate90, in % of a copy, with the tile of turned_tile.cuh
// and with this: 41.5 -> 60.0 for 1-byte pixels, 54.2 -> 71.4 for 3-byte ones (H200, 2026-11-22).
#ifndef QTURN_KERNELS_LINEAR_TILE_CUH
#define QTURN_KERNELS_LINEAR_TILE_CUH

#include "kernels/src/turned_tile.cuh"

namespace qturn::device {

/// Where a tile is read. `data` is where column 0 of row 0 is or would be; rows from `first_row` on
/// to before `end_row` are in the picture.
struct LinearTileSource {
  const Byte* data;
  std::int64_t pitch;
  int columns;
  int first_row;
  int end_row;
  Extent picture;
};

/// `width` x `rows` pixels. Column c becomes bytes of the row at `dst + c * dst_pitch`, of which
/// row 0 would come to lie at that address: those from the last multiple of 32 at or before that of
/// row `before` on. The tile below goes on where this one stops.
template <int pixel, int width, int rows, int before, int threads>
struct LinearTile {
  static constexpr int own_rows = rows - before;
  static_assert(own_rows * pixel % 32 == 0 && before * pixel >= 31);

  static constexpr int unit_rows = pixel == 1 ? 8 : 4;
  static constexpr int unit_words = unit_rows * pixel / 4;
  static constexpr int units_down = rows / unit_rows;
  static constexpr int units_across = width / 4;
  static_assert(rows % unit_rows == 0 && width % 4 == 0);

  static constexpr int row_granules = pixel == 1 ? 8 : 16;
  static_assert(width * pixel + 2 * granule - 2 < (row_granules + 1) * granule);
  static constexpr int row_pitch = row_granules * granule;
  static constexpr int unit_skew = pixel == 1 ? 32 : 16;
  static constexpr int rows_a_step = threads / row_granules;
  static_assert(rows_a_step % 16 == 0);
  static constexpr int in_bytes = rows * row_pitch + units_down * unit_skew + granule;

  // A warp exchanges units that are `lanes_down` below one another.
  static constexpr int lanes_down = pixel == 1 ? 4 : 8;
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int warps_down = (units_down + lanes_down - 1) / lanes_down;
  static constexpr int warps_across = (units_across + lanes_across - 1) / lanes_across;
  static_assert(warps_down * warps_across * 32 <= threads);

  // Exchanged pixels, with a granule around each row and padding after four rows against bank
  // conflicts.
  static constexpr int out_row_bytes =
      (rows * pixel + granule - 1) / granule * granule + 2 * granule;
  static constexpr int out_padding =
      (((pixel == 3 ? 96 : 32) - 4 * out_row_bytes) % 128 + 128) % 128;
  static constexpr int out_bytes = width * out_row_bytes + units_across * out_padding;
  static constexpr int bytes = in_bytes > out_bytes ? in_bytes : out_bytes;

  static constexpr int store_granules = own_rows * pixel / granule;
  static constexpr int columns_a_step = threads / store_granules / 8 * 8;

  static __device__ __forceinline__ void run(Byte* tile, const LinearTileSource& from, Byte* dst,
                                             std::int64_t dst_pitch) {
    load_rows(tile, from);
    finish_copies();
    exchange_pixels(tile, low_bits(from.data), static_cast<unsigned>(from.pitch));
    __syncthreads();
    store_columns(tile, from, dst, dst_pitch);
  }

 private:
  static __device__ __forceinline__ void load_rows(Byte* tile, const LinearTileSource& from) {
    const int wanted = from.columns * pixel;
    const Byte* first = from.data + from.first_row * from.pitch;
    const Byte* last = from.data + (from.end_row - 1) * from.pitch;
    const bool inside = (first < last ? first : last) - granule >= from.picture.begin &&
                        (first < last ? last : first) + wanted + granule <= from.picture.end;
    const int column = static_cast<int>(threadIdx.x) % row_granules;
    int row = static_cast<int>(threadIdx.x) / row_granules;
    const unsigned phase =
        low_bits(from.data) + static_cast<unsigned>(row) * static_cast<unsigned>(from.pitch);
    const int offset = column * granule - static_cast<int>(phase % granule);
    if (offset >= wanted) return;
    const Byte* src = from.data + row * from.pitch + offset;
    Byte* to = tile + row * row_pitch + row / unit_rows * unit_skew + column * granule;
#pragma unroll
    for (int step = 0; step < rounds(rows, rows_a_step); ++step) {
      if (row >= from.first_row && row < from.end_row) {
        if (inside) {
          start_copy<128>(to, src);
        } else {
          start_copy_between<128>(to, src, from.picture.begin, from.picture.end);
        }
      }
      row += rows_a_step;
      src += from.pitch * rows_a_step;  // a multiple of 16, so the phase stays
      to += rows_a_step * row_pitch + rows_a_step / unit_rows * unit_skew;
    }
  }

  static __device__ __forceinline__ void exchange_pixels(Byte* tile, unsigned first_phase,
                                                         unsigned pitch) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int down = warp % warps_down * lanes_down + lane % lanes_down;
    const int across = warp / warps_down * lanes_across + lane / lanes_down;
    const bool busy = down < units_down && across < units_across;
    std::uint32_t out[4][unit_words];
    if (busy) {
      std::uint32_t in[unit_rows][pixel];
      const Byte* unit = tile + down * (unit_rows * row_pitch + unit_skew);
      unsigned phase = first_phase + static_cast<unsigned>(down * unit_rows) * pitch;
#pragma unroll
      for (int i = 0; i < unit_rows; ++i) {
        const unsigned at = phase % granule + static_cast<unsigned>(across * 4 * pixel);
        const Byte* from = unit + i * row_pitch + at / 4 * 4;
        std::uint32_t low = load<4>(from);
#pragma unroll
        for (int k = 0; k < pixel; ++k) {
          const std::uint32_t high = load<4>(from + 4 * k + 4);
          in[i][k] = __funnelshift_r(low, high, at * 8);
          low = high;
        }
        phase += pitch;
      }
      exchange(in, out);
    }
    __syncthreads();
    if (busy) {
      Byte* to =
          tile + across * (4 * out_row_bytes + out_padding) + granule + down * unit_words * 4;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if constexpr (unit_words == 2) {
          store<8>(to + i * out_row_bytes, make_uint2(out[i][0], out[i][1]));
        } else {
#pragma unroll
          for (int k = 0; k < unit_words; ++k) {
            store<4>(to + i * out_row_bytes + 4 * k, out[i][k]);
          }
        }
      }
    }
  }

  static __device__ __forceinline__ void store_columns(const Byte* tile,
                                                       const LinearTileSource& from, Byte* dst,
                                                       std::int64_t dst_pitch) {
    const int number = static_cast<int>(threadIdx.x);
    if (number >= store_granules * columns_a_step) return;
    constexpr int first = before * pixel;
    const bool whole = from.first_row == 0 && from.end_row == rows;
    int column = number / store_granules;
    Byte* row = dst + column * dst_pitch;
#pragma unroll
    for (int step = 0; step < rounds(width, columns_a_step); ++step) {
      if (column < from.columns) {
        const int cut = static_cast<int>((low_bits(row) + first) % 32u);
        const int at = first - cut + number % store_granules * granule;
        const Byte* held = tile + column * out_row_bytes + column / 4 * out_padding + granule + at;
        const int begin = from.first_row * pixel - at;
        const int end = from.end_row * pixel - at;
        if (whole || (begin <= 0 && end >= granule)) {
          store_granule(row + at, load_across(held));
        } else if (begin < granule && end > 0) {
          store_cut(row + at, load_across(held), begin > 0 ? begin : 0,
                    end < granule ? end : granule);
        }
      }
      column += columns_a_step;
      row += dst_pitch * columns_a_step;
    }
  }
};

}  // namespace qturn::device

#endif  // QTURN_KERNELS_LINEAR_TILE_CUH
