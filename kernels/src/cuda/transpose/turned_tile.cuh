// A tile of pixels that a block transposes through shared memory: load it, wait, store its columns
// as rows. Kernels are built from these steps.
//
// The kernels for a single picture are chosen by its alignment before the launch. A kernel that
// turns many pictures, or a picture within itself, has rows of every alignment, so it has the tile
// in two versions: one for addresses and pitches that are multiples of 16 bytes, one in which each
// row lies in shared memory with the phase that it has in global memory, and each row of the
// destination is written in its own aligned granules. Both copy in aligned pieces of 16 bytes.
//
// Pixels of 1, 2 and 3 bytes are exchanged in registers, 4 x 4 or 8 x 4 at once, and go back to
// shared memory in the order in which they are stored. Pixels of 6 bytes, too, 2 x 4 at once, where
// a kernel asks for it. Larger pixels are gathered word by word.
#pragma once

#include "kernels/src/cuda/exchange.cuh"
#include "kernels/src/cuda/rows/row_granules.cuh"
#include "kernels/src/cuda/transpose/phased.cuh"

namespace qturn::device {

/// Which phase each row of a tile has: its address modulo 16.
struct RowPhases {
  unsigned first;
  unsigned pitch;

  __device__ __forceinline__ int of(int row) const {
    return static_cast<int>((first + static_cast<unsigned>(row) * pitch) % granule);
  }
};

/// Where a tile is stored: its column c becomes bytes of the row at `dst + c * pitch`, where its
/// row 0 would be. Granules begin at the last multiple of `cut` at or before byte `first` of the
/// destination's row, and only bytes from `begin` on to before `end` are written.
struct TileTarget {
  Byte* dst;
  std::int64_t pitch;
  int columns;
  int first;
  std::int64_t begin;
  std::int64_t end;
};

/// `width` x `rows` pixels, in rows of `row_bytes` of shared memory. `aligned`: all addresses and
/// pitches are multiples of 16. `in_registers`: pixels are exchanged there.
template <int pixel, int row_bytes, int width, int rows, int threads, bool aligned,
          bool in_registers = (pixel <= 3)>
struct TurnedTile {
  static constexpr int word = word_bytes(pixel);
  static constexpr int most_phase = aligned ? 0 : granule - word;
  static_assert(width * pixel + most_phase <= row_bytes);
  static constexpr bool exchanged = in_registers;
  // Rows whose granules lie in the same order.
  static constexpr int group_rows = pixel == 1 || pixel == 24   ? 8
                                    : pixel <= 4 || pixel == 12 ? 4
                                    : pixel == 6 || pixel == 8  ? 2
                                                                : 1;
  // The order changes within 128 bytes, which may belong to several rows of a group.
  static_assert(group_rows * row_bytes % 128 == 0);

  // Exchanged pixels lie in rows of the destination, with room for parts of granules around them
  // where those occur, and padding after each four rows that puts the words which a warp writes at
  // once into different banks.
  static constexpr int unit_rows = pixel == 1 ? 8 : pixel == 6 ? 2 : 4;
  static constexpr int unit_words = unit_rows * pixel / 4;
  static constexpr int units_down = rows / unit_rows;
  static constexpr int units_across = width / 4;
  static constexpr int padded_down = (units_down + 7) / 8 * 8;
  static constexpr int margin = aligned ? 0 : granule;
  static constexpr int out_row_bytes =
      (rows * pixel + granule - 1) / granule * granule + 2 * margin;
  static constexpr int out_padding =
      (((pixel % 3 == 0 ? 96 : 64) - 4 * out_row_bytes) % 128 + 128) % 128;
  static constexpr int in_bytes = rows * row_bytes;
  static constexpr int out_bytes =
      exchanged ? width * out_row_bytes + units_across * out_padding : 0;
  static constexpr int bytes = in_bytes > out_bytes ? in_bytes : out_bytes;

  static __device__ __forceinline__ RowPhases phases_of(const Byte* src, std::int64_t pitch) {
    if constexpr (aligned) {
      return {0, 0};
    } else {
      return {low_bits(src), static_cast<unsigned>(pitch)};
    }
  }

  /// Starts the copies of `wanted` bytes of rows `first_row` on to before `end_row`. `src` is where
  /// row 0 is or would be.
  template <class Thread = ThisThread>
  static __device__ __forceinline__ void load_rows(Byte* tile, const Byte* src, std::int64_t pitch,
                                                   int wanted, int first_row, int end_row,
                                                   Extent picture, Thread thread = {}) {
    constexpr int granules = (width * pixel + most_phase + granule - 1) / granule;
    const RowPhases phases = phases_of(src, pitch);
#pragma unroll
    for (int step = 0; step < rounds(rows * granules, threads); ++step) {
      const int number = thread() + step * threads;
      if (rows * granules % threads != 0 && number >= rows * granules) break;
      const int row = number / granules;
      const int column = number % granules;
      const int offset = column * granule - phases.of(row);
      if (row >= first_row && row < end_row && offset < wanted) {
        start_copy_between<128>(tile + place_in(row, column, row / group_rows),
                                src + row * pitch + offset, picture.begin, picture.end);
      }
    }
  }

  /// Brings pixels into the order in which they are stored, if they are exchanged. Called by the
  /// whole block once the tile has arrived; before the tile is stored, there must be a barrier.
  template <class Thread = ThisThread>
  static __device__ __forceinline__ void exchange_pixels(Byte* tile, RowPhases phases,
                                                         Thread thread = {}) {
    if constexpr (exchanged) {
      static_assert(rows % unit_rows == 0 && width % 4 == 0);
      static_assert(padded_down * ((units_across + 3) / 4 * 4) <= threads);
      const int warp = thread() / 32;
      const int lane = thread() % 32;
      const int down = warp % (padded_down / 8) * 8 + lane % 8;
      const int across = warp / (padded_down / 8) * 4 + lane / 8;
      const bool busy = down < units_down && across < units_across;
      std::uint32_t out[4][unit_words]{};  // as in SkewedTile
      if (busy) {
        std::uint32_t in[unit_rows][pixel];
#pragma unroll
        for (int i = 0; i < unit_rows; ++i) {
          const int row = down * unit_rows + i;
          const int at = phases.of(row) + across * 4 * pixel;
          const auto word_at = [&](int index) {
            return load<4>(tile + place_in(row, index / 4, down) + index % 4 * 4);
          };
          if constexpr (aligned && pixel == 6) {
#pragma unroll
            for (int k = 0; k < pixel; k += 2) {
              const int index = at / 4 + k;
              const uint2 two = load<8>(tile + place_in(row, index / 4, down) + index % 4 * 4);
              in[i][k] = two.x;
              in[i][k + 1] = two.y;
            }
          } else if constexpr (aligned) {
#pragma unroll
            for (int k = 0; k < pixel; ++k) in[i][k] = word_at(at / 4 + k);
          } else {
            std::uint32_t low = word_at(at / 4);
#pragma unroll
            for (int k = 0; k < pixel; ++k) {
              // The word after the last one is needed only where the phase is not a multiple of 4,
              // and then it is there.
              const std::uint32_t high =
                  word_at(at / 4 + (k + 1 < pixel || at % 4 != 0 ? k + 1 : k));
              in[i][k] = __funnelshift_r(low, high, static_cast<unsigned>(at) * 8);
              low = high;
            }
          }
        }
        exchange(in, out);
      }
      __syncthreads();
      if (busy) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          Byte* to = tile + (across * 4 + i) * out_row_bytes + across * out_padding + margin +
                     down * unit_words * 4;
          if constexpr (unit_words == 2) {
            store<8>(to, make_uint2(out[i][0], out[i][1]));
          } else {
#pragma unroll
            for (int k = 0; k < unit_words; ++k) store<4>(to + 4 * k, out[i][k]);
          }
        }
      }
    }
  }

  /// Stores `granules` granules of each column, which begin at multiples of `cut`.
  template <int granules, int cut, class Thread = ThisThread>
  static __device__ __forceinline__ void store_columns(const Byte* tile, RowPhases phases,
                                                       const TileTarget& to, Thread thread = {}) {
#pragma unroll
    for (int step = 0; step < rounds(granules * width, threads); ++step) {
      const int number = thread() + step * threads;
      if (granules * width % threads != 0 && number >= granules * width) break;
      const auto [down, column] = place<granules>(number);
      if (column >= to.columns) continue;
      Byte* row_of_dst = to.dst + column * to.pitch;
      const int before =
          aligned ? 0 : static_cast<int>(low_bits(row_of_dst + to.first) % unsigned{cut});
      const int at = to.first - before + down * granule;
      if (at + granule <= to.begin || at >= to.end) continue;
      store_in_row(row_of_dst + to.begin, take(tile, phases, column, at), at - to.begin,
                   to.end - to.begin);
    }
  }

 private:
  // Where the granule at `column` of a row of group `group` lies.
  static __device__ __forceinline__ int place_in(int row, int column, int group) {
    if constexpr (row_bytes % 128 == 0) {
      return row * row_bytes + swizzled(column, group) * granule;
    } else {
      return (row * row_bytes + column * granule) ^ (group % 8 * granule);
    }
  }

  struct Place {
    int down;
    int column;
  };

  // A warp writes 8 granules of each of four rows, or 4 of each of eight, where it can: with the
  // order of the granules in shared memory, this has the fewest bank conflicts.
  template <int granules>
  static __device__ __forceinline__ Place place(int number) {
    constexpr int lanes_down = pixel == 6 || pixel == 12 || pixel == 24 ? 4 : 8;
    constexpr int lanes_across = 32 / lanes_down;
    if constexpr (aligned && granules % lanes_down == 0 && width % lanes_across == 0) {
      constexpr int warps_down = granules / lanes_down;
      const int warp = number / 32;
      const int lane = number % 32;
      return {warp % warps_down * lanes_down + lane % lanes_down,
              warp / warps_down * lanes_across + lane / lanes_down};
    } else {
      return {number % granules, number / granules};
    }
  }

  // The granule at byte `at` of a column.
  static __device__ __forceinline__ Granule take(const Byte* tile, RowPhases phases, int column,
                                                 int at) {
    if constexpr (exchanged) {
      const Byte* from = tile + column * out_row_bytes + column / 4 * out_padding + margin + at;
      if constexpr (aligned) {
        return load_granule(from);
      } else {
        return load_across(from);
      }
    } else {
      struct Held {
        int row;
        int byte;  // of the row
      };
      // Parts of the first and the last granule may belong to no row of the tile.
      constexpr int rows_before = aligned ? 0 : rounds(granule, pixel);
      return gather<pixel>(
          at / word + rows_before * (pixel / word),
          [&](int row, int index) {
            return Held{row - rows_before, column * pixel + index * word};
          },
          [&](Held held, int below) {
            const int row = held.row + below;
            if constexpr (!aligned) {
              if (row < 0 || row >= rows) return Word<word>{};
            }
            const int in_row = phases.of(row) + held.byte;
            return load<word>(tile + place_in(row, in_row / granule, row / group_rows) +
                              in_row % granule);
          });
    }
  }
};

}  // namespace qturn::device
