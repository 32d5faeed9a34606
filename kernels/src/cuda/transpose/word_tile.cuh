// The tile that always works: pixels of any size at any address, moved in words that divide pixels,
// addresses and pitches. Single pictures, batches and squares in place are drivers over it.
//
// A tile has at most `side` x `side` pixels, and rows of `side` pixels in shared memory, whether
// the picture has them or not. So a row has the same number of words on both sides. A kernel that
// knows this number before the launch divides by it with a Divisor.
#pragma once

#include "kernels/src/cuda/device_memory.cuh"

namespace qturn::device {

/// The side of a tile where other tiles share the block's memory: at most 8 KB.
__host__ __device__ constexpr int word_tile_side(int pixel) {
  return pixel <= 8 ? 32 : pixel <= 32 ? 16 : pixel <= 128 ? 8 : 4;
}
inline constexpr int word_tile_bytes = 8 * 1024;

/// As Divisor, for numbers that only the device knows.
struct PlainDivisor {
  std::uint32_t divisor;

  __device__ __forceinline__ std::uint32_t quotient(std::uint32_t number) const {
    return number / divisor;
  }
};

/// `Number` is Divisor or PlainDivisor.
template <int word, class Number>
struct WordTile {
  int columns;  // of the source that are in the picture
  int rows;
  Number pixel_words;
  Number row_words;

  /// Row y is read at `src + y * pitch`.
  __device__ __forceinline__ void load_rows(Byte* tile, const Byte* src, std::int64_t pitch,
                                            int threads) const {
    const int in_row = static_cast<int>(row_words.divisor);
    const int wanted = columns * static_cast<int>(pixel_words.divisor);
    for (int number = static_cast<int>(threadIdx.x); number < rows * in_row; number += threads) {
      const int row = static_cast<int>(row_words.quotient(number));
      const int at = number - row * in_row;
      if (at < wanted) {
        store<word>(tile + number * word, load<word>(src + row * pitch + at * word));
      }
    }
  }

  /// Column c becomes the row at `dst + c * pitch`, and each of its words belongs to the pixel of
  /// one row of the tile.
  __device__ __forceinline__ void store_columns(const Byte* tile, Byte* dst, std::int64_t pitch,
                                                int threads) const {
    const int in_row = static_cast<int>(row_words.divisor);
    const int in_pixel = static_cast<int>(pixel_words.divisor);
    for (int number = static_cast<int>(threadIdx.x); number < columns * in_row; number += threads) {
      const int column = static_cast<int>(row_words.quotient(number));
      const int at = number - column * in_row;
      const int row = static_cast<int>(pixel_words.quotient(at));
      if (row < rows) {
        const int part = at - row * in_pixel;
        store<word>(dst + column * pitch + at * word,
                    load<word>(tile + (row * in_row + column * in_pixel + part) * word));
      }
    }
  }
};

/// The tile of `side` x `side` pixels of `pixel` bytes, `columns` x `rows` of it in the picture.
template <int word>
__device__ __forceinline__ WordTile<word, PlainDivisor> word_tile(int pixel, int side, int columns,
                                                                  int rows) {
  const auto words = static_cast<std::uint32_t>(pixel / word);
  return {columns, rows, {words}, {words * static_cast<std::uint32_t>(side)}};
}

}  // namespace qturn::device
