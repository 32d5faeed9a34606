// Turning a square picture within its own memory.
//
// A block takes the tiles that exchange places among themselves, reads all of them into shared
// memory, waits for its last thread, and only then writes:
//
//   transposes    the two tiles on either side of the diagonal, or one on it
//   quarter turns the four tiles that follow one another around the middle
//
// No other block reads or writes those pixels. Rows are read upside down where that makes a
// quarter turn a transpose, as out of place.
#include <algorithm>
#include <type_traits>

#include "kernels/src/cuda/dynamic_shared.cuh"
#include "kernels/src/cuda/in_place/families.hpp"
#include "kernels/src/cuda/launch.cuh"
#include "kernels/src/cuda/transpose/turned_tile.cuh"
#include "kernels/src/cuda/transpose/word_tile.cuh"
#include "kernels/src/cuda/tuning.cuh"
#include "kernels/src/pixel_sizes.hpp"
#include "kernels/src/reduced.hpp"

namespace qturn {
namespace {

using device::Byte;
using device::granule;

/// A square of `side` x `side` pixels, transposed or, if `quarter`, turned clockwise.
struct Square {
  Byte* data;
  std::int64_t pitch;
  std::int64_t side;
  bool quarter;
};

struct Rectangle {
  std::int64_t x;
  std::int64_t y;
  int width;
  int height;
};

/// The pieces that change places: piece k gets what piece k + 1 held, the last what piece 0 held.
struct Orbit {
  Rectangle piece[4];
  int count;
};

/// The orbit of this block, in tiles of `tile` pixels; without a piece if it has none.
__device__ __forceinline__ Orbit orbit_of_block(const Square& s, int tile) {
  std::int64_t down = blockIdx.x;
  std::int64_t across = blockIdx.y;
  std::int64_t right = s.side;
  std::int64_t bottom = s.side;
  if (s.quarter) {
    // The quarter of the picture that, turned, makes up the others; without the middle pixel.
    right = (s.side + 1) / 2;
    bottom = s.side / 2;
  } else if (down > across) {
    // A rectangle of blocks, cut in two, covers the triangle of tiles below and on the diagonal.
    down -= 1;
  } else {
    down = 2 * std::int64_t{gridDim.y} - 1 - down;
    across = 2 * std::int64_t{gridDim.y} - 1 - across;
  }
  const std::int64_t x = across * tile;
  const std::int64_t y = down * tile;
  if (x >= right || y >= bottom) return Orbit{{}, 0};
  const int width = static_cast<int>(right - x < tile ? right - x : tile);
  const int height = static_cast<int>(bottom - y < tile ? bottom - y : tile);
  const std::int64_t n = s.side;
  if (!s.quarter) return {{{x, y, width, height}, {y, x, height, width}, {}, {}}, x == y ? 1 : 2};
  return {{{x, y, width, height},
           {y, n - x - width, height, width},
           {n - x - width, n - y - height, width, height},
           {n - y - height, x, height, width}},
          4};
}

/// Where a piece is read from so that it only has to be transposed.
struct Rows {
  const Byte* src;
  std::int64_t pitch;
};

__device__ __forceinline__ Rows rows_of(const Square& s, const Rectangle& piece, int pixel) {
  const std::int64_t row = s.quarter ? piece.y + piece.height - 1 : piece.y;
  return {s.data + row * s.pitch + piece.x * pixel, s.quarter ? -s.pitch : s.pitch};
}

constexpr int row_bytes_of(int pixel, bool aligned, int side) {
  const int needed = side * pixel + (aligned ? 0 : granule - device::word_bytes(pixel));
  return needed == 192 ? 192 : (needed + 127) / 128 * 128;
}

template <class Table, int pixel, bool aligned>
using SquareTile =
    device::TurnedTile<pixel, row_bytes_of(pixel, aligned, Table::square(pixel).side),
                       Table::square(pixel).side, Table::square(pixel).side,
                       Table::square(pixel).threads, aligned, pixel <= 3 || pixel == 6>;

template <int pixel, bool aligned>
__global__ void __launch_bounds__(device::Tuning::square(pixel).threads,
                                  device::resident_threads / device::Tuning::square(pixel).threads)
    turn_square(const Square s) {
  using Tile = SquareTile<device::Tuning, pixel, aligned>;
  constexpr int tile_side = device::Tuning::square(pixel).side;
  constexpr int granules = tile_side * pixel / granule + (aligned ? 0 : 1);
  Byte* tiles = device::dynamic_shared();
  const Orbit orbit = orbit_of_block(s, tile_side);
  const device::Extent picture = device::extent(s.data, s.pitch, s.side, s.side * pixel);
  device::wait_for_previous_kernel();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k < orbit.count) {
      const Rectangle& piece = orbit.piece[k];
      const Rows from = rows_of(s, piece, pixel);
      Tile::load_rows(tiles + k * Tile::bytes, from.src, from.pitch, piece.width * pixel, 0,
                      piece.height, picture);
    }
  }
  device::finish_copies();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k < orbit.count) {
      const Rows from = rows_of(s, orbit.piece[k], pixel);
      Tile::exchange_pixels(tiles + k * Tile::bytes, Tile::phases_of(from.src, from.pitch));
    }
  }
  if constexpr (Tile::exchanged) __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (k < orbit.count) {
      const Rectangle& to = orbit.piece[k];
      // The next piece, without an index that is known only at run time.
      const int held = k + 1 == orbit.count ? 0 : k + 1;
      const Rows from = rows_of(
          s, {to.y, s.quarter ? s.side - to.x - to.width : to.x, to.height, to.width}, pixel);
      Tile::template store_columns<granules, granule>(
          tiles + held * Tile::bytes, Tile::phases_of(from.src, from.pitch),
          {s.data + to.y * s.pitch + to.x * pixel, s.pitch, to.height, 0, 0, to.width * pixel});
    }
  }
}

constexpr int word_threads = 256;

/// Pixels of any size, in words that divide pixels, address and pitch.
template <int word>
__global__ void __launch_bounds__(word_threads) turn_square_by_words(const Square s, int pixel) {
  alignas(16) __shared__ Byte tiles[4 * device::word_tile_bytes];
  const int side = device::word_tile_side(pixel);
  const Orbit orbit = orbit_of_block(s, side);
  device::wait_for_previous_kernel();
  for (int k = 0; k < orbit.count; ++k) {
    const Rectangle& piece = orbit.piece[k];
    const Rows from = rows_of(s, piece, pixel);
    device::word_tile<word>(pixel, side, piece.width, piece.height)
        .load_rows(tiles + k * device::word_tile_bytes, from.src, from.pitch, word_threads);
  }
  __syncthreads();
  for (int k = 0; k < orbit.count; ++k) {
    const Rectangle& to = orbit.piece[k];
    device::word_tile<word>(pixel, side, to.height, to.width)
        .store_columns(tiles + (k + 1) % orbit.count * device::word_tile_bytes,
                       s.data + to.y * s.pitch + to.x * pixel, s.pitch, word_threads);
  }
}

// One block for each orbit.
dim3 orbit_grid(const Square& s, int tile) {
  const auto tiles = [&](std::int64_t pixels) {
    return static_cast<unsigned>((pixels + tile - 1) / tile);
  };
  if (s.quarter) return dim3(tiles(s.side / 2), tiles((s.side + 1) / 2));
  const unsigned half = (tiles(s.side) + 1) / 2;
  return dim3(2 * half + 1, half);
}

template <int pixel, bool aligned>
void run_square(const Square& s, cudaStream_t stream) {
  const auto kernel = turn_square<pixel, aligned>;
  device::tuning_of(kernel, [&](auto table) {
    constexpr SquareTuning tuning = table.square(pixel);
    constexpr int tile_bytes = SquareTile<decltype(table), pixel, aligned>::bytes;
    device::allow_dynamic_shared(kernel, 4 * tile_bytes);
    device::launch_overlapping(kernel, orbit_grid(s, tuning.side), tuning.threads,
                               tile_bytes * (s.quarter ? 4 : 2), stream, s);
  });
}

template <int word>
void run_words(const Square& s, int pixel, cudaStream_t stream) {
  device::launch_overlapping(turn_square_by_words<word>,
                             orbit_grid(s, device::word_tile_side(pixel)), word_threads, stream, s,
                             pixel);
}

template <int pixel>
bool run_sized(const Square& s, int alignment, cudaStream_t stream) {
  // A quarter turn's tiles begin at both edges and at the middle.
  const bool aligned = alignment == granule &&
                       (!s.quarter || (s.side % 2 == 0 && s.side / 2 * pixel % granule == 0));
  if (aligned) {
    run_square<pixel, true>(s, stream);
    return true;
  }
  if (alignment % device::word_bytes(pixel) != 0) return false;
  run_square<pixel, false>(s, stream);
  return true;
}

}  // namespace

void turn_square_in_place(View view, bool quarter, cudaStream_t stream) {
  const Square s{static_cast<Byte*>(view.data), view.pitch, view.width, quarter};
  const int pixel = view.pixel_bytes;
  const int alignment = alignment_of({view, view, Motion::transpose});
  if (view.width < 2) return;
  const bool known = with_pixel(pixel, [&](auto size) {
    if constexpr (size.value == 0) {
      return false;
    } else {
      return run_sized<size.value>(s, alignment, stream);
    }
  });
  if (known) return;
  with_word(std::min(alignment, device::word_bytes(pixel)),
            [&](auto word) { run_words<word.value>(s, pixel, stream); });
}

}  // namespace qturn
