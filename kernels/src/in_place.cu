// Turning a picture within its own memory.
//
// Whatever moves pixels to where others are must hold those first. So a block takes pieces of the
// picture that exchange places among themselves, reads all of them, waits for its last thread, and
// only then writes:
//
//   mirrors       two stretches of rows, a granule of each in the registers of one thread
//   transposes    the two tiles on either side of the diagonal, or one on it, in shared memory
//   quarter turns the four tiles that follow one another around the middle
//
// No other block reads or writes those pixels. Rows are read upside down where that makes a
// quarter turn a transpose, as out of place.
#include <qturn/cuda.hpp>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "kernels/src/dynamic_shared.cuh"
#include "kernels/src/launch.cuh"
#include "kernels/src/reduced.hpp"
#include "kernels/src/row_granules.cuh"
#include "kernels/src/shapes.hpp"
#include "kernels/src/turned_tile.cuh"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::granule;
using device::RowPhases;

constexpr int row_threads = 256;

/// The picture's memory, between whose ends whole granules are read.
using Memory = device::Extent;

/// Pixel x of each line of `first` and pixel x, or the x-th from the right, of the same line of
/// `second` change places. A block has `lines_at_once` lines of `piece_bytes`.
struct Exchange {
  Byte* first;
  Byte* second;
  std::int64_t first_pitch;
  std::int64_t second_pitch;
  std::int64_t row_bytes;
  std::int64_t lines;
  Memory picture;
  int pixel;
  int piece_bytes;
  unsigned lines_at_once;
  Divisor granules;  // in a piece of any alignment
  Divisor pieces;    // in a line
};

template <class Policy, bool mirrored>
__global__ void __launch_bounds__(row_threads) exchange_rows(const Exchange e) {
  const unsigned group = e.pieces.quotient(blockIdx.x);
  const std::int64_t at = std::int64_t{blockIdx.x - group * e.pieces.divisor} * e.piece_bytes;
  const std::int64_t left = e.row_bytes - at;
  const int bytes = left < e.piece_bytes ? static_cast<int>(left) : e.piece_bytes;
  const unsigned line_of_block = e.granules.quotient(threadIdx.x);
  const int index = static_cast<int>(threadIdx.x - line_of_block * e.granules.divisor);
  const std::int64_t line = std::int64_t{group} * e.lines_at_once + line_of_block;
  const bool busy = line_of_block < e.lines_at_once && line < e.lines;

  Byte* first = e.first + line * e.first_pitch + at;
  Byte* second = e.second + line * e.second_pitch + (mirrored ? left - bytes : at);
  const int at_first =
      index * granule - static_cast<int>(reinterpret_cast<std::uintptr_t>(first) % granule);
  const int at_second =
      index * granule - static_cast<int>(reinterpret_cast<std::uintptr_t>(second) % granule);
  device::Granule for_first{};
  device::Granule for_second{};
  const auto row_of = [&](const Byte* data) {
    return device::SourceRow{data, bytes, e.picture.begin, e.picture.end, e.pixel};
  };
  device::wait_for_previous_kernel();
  if (busy && at_first < bytes) {
    for_first = Policy::make(row_of(second), at_first, static_cast<unsigned>(index));
  }
  if (busy && at_second < bytes) {
    for_second = Policy::make(row_of(first), at_second, static_cast<unsigned>(index));
  }
  __syncthreads();
  if (busy && at_first < bytes) {
    device::store_in_row(first, for_first, at_first, bytes);
  }
  if (busy && at_second < bytes) {
    device::store_in_row(second, for_second, at_second, bytes);
  }
}

Memory memory_of(View view) {
  const auto* data = static_cast<const Byte*>(view.data);
  const std::int64_t to_last = (view.height - 1) * view.pitch;
  return {data + std::min<std::int64_t>(to_last, 0),
          data + std::max<std::int64_t>(to_last, 0) + view.row_bytes()};
}

// The two parts of `view` change places, mirrored or not.
template <bool mirrored>
void exchange_parts(View view, View first, View second, cudaStream_t stream) {
  if (first.empty()) return;
  const int pixel = first.pixel_bytes;
  const Reduced both{first, second, Motion::copy};
  const int alignment = alignment_of(both);
  const bool aligned = alignment == granule && first.row_bytes() % granule == 0;
  // As many granules as there are threads, less one for phases; and whole pixels.
  const int unit = std::lcm(pixel, granule);
  const int most = (row_threads - (aligned ? 0 : 1)) * granule / unit * unit;
  const auto piece_bytes = static_cast<int>(std::min<std::int64_t>(first.row_bytes(), most));
  const auto granules =
      static_cast<unsigned>((piece_bytes + (aligned ? 0 : 2 * granule - 2)) / granule);
  const std::int64_t pieces = (first.row_bytes() + piece_bytes - 1) / piece_bytes;
  const unsigned lines_at_once = row_threads / granules;
  const std::int64_t groups = (first.height + lines_at_once - 1) / lines_at_once;
  const Exchange e{static_cast<Byte*>(first.data),
                   static_cast<Byte*>(second.data),
                   first.pitch,
                   second.pitch,
                   first.row_bytes(),
                   first.height,
                   memory_of(view),
                   pixel,
                   piece_bytes,
                   lines_at_once,
                   Divisor(granules),
                   Divisor(static_cast<std::uint32_t>(pieces))};
  const auto run = [&](auto policy) {
    device::launch_overlapping(exchange_rows<decltype(policy), mirrored>,
                               dim3(static_cast<unsigned>(pieces * groups)), row_threads, stream,
                               e);
  };
  if constexpr (!mirrored) {
    device::with_copy(aligned, run);
  } else {
    const auto mirror = [&](auto size) {
      device::with_mirror<size.value>(pixel, alignment, aligned, run);
    };
    switch (pixel) {
      case 1:
        return mirror(std::integral_constant<int, 1>());
      case 2:
        return mirror(std::integral_constant<int, 2>());
      case 3:
        return mirror(std::integral_constant<int, 3>());
      case 4:
        return mirror(std::integral_constant<int, 4>());
      case 6:
        return mirror(std::integral_constant<int, 6>());
      case 8:
        return mirror(std::integral_constant<int, 8>());
      case 12:
        return mirror(std::integral_constant<int, 12>());
      case 16:
        return mirror(std::integral_constant<int, 16>());
      case 24:
        return mirror(std::integral_constant<int, 24>());
      case 32:
        return mirror(std::integral_constant<int, 32>());
      default:
        return mirror(std::integral_constant<int, 0>());
    }
  }
}

void flop(View view, cudaStream_t stream) {
  const std::int64_t half = view.width / 2;
  exchange_parts<true>(view, sub_view(view, 0, 0, half, view.height),
                       sub_view(view, view.width - half, 0, half, view.height), stream);
}

template <bool mirrored>
void exchange_halves(View view, cudaStream_t stream) {
  const std::int64_t half = view.height / 2;
  if (half == 0) return;
  exchange_parts<mirrored>(view, sub_view(view, 0, 0, view.width, half),
                           sub_view(upside_down(view), 0, 0, view.width, half), stream);
}

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

/// That of this block, in tiles of `tile` pixels; without a piece if there is none.
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

template <int pixel, int row_bytes, int tile_side, int threads, bool aligned>
__global__ void __launch_bounds__(threads, device::resident_threads / threads)
    turn_square(const Square s) {
  using Tile = device::TurnedTile<pixel, row_bytes, tile_side, tile_side, threads, aligned>;
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

/// Pixels of any size, in words that divide pixels, address and pitch.
template <int word>
__global__ void __launch_bounds__(row_threads) turn_square_by_words(const Square s, int pixel) {
  alignas(16) __shared__ Byte tiles[4 * device::word_tile_bytes];
  const Orbit orbit = orbit_of_block(s, device::word_tile_side(pixel));
  device::wait_for_previous_kernel();
  for (int k = 0; k < orbit.count; ++k) {
    const Rectangle& piece = orbit.piece[k];
    const Rows from = rows_of(s, piece, pixel);
    device::load_words<word>(tiles + k * device::word_tile_bytes, from.src, from.pitch, piece.width,
                             piece.height, pixel, row_threads);
  }
  __syncthreads();
  for (int k = 0; k < orbit.count; ++k) {
    const Rectangle& to = orbit.piece[k];
    device::store_words<word>(tiles + (k + 1) % orbit.count * device::word_tile_bytes,
                              s.data + to.y * s.pitch + to.x * pixel, s.pitch, to.height, to.width,
                              pixel, row_threads);
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

/// Pieces of 128 bytes and more where four tiles of them leave room for several blocks.
struct SquareTuning {
  int side;
  int threads;
};

constexpr SquareTuning square_tuning(int pixel) {
  switch (pixel) {
    case 1:
      return {64, 256};
    case 2:
      return {64, 256};
    case 3:
      return {64, 256};
    case 4:
      return {32, 256};
    case 6:
      return {32, 384};
    case 8:
      return {32, 256};
    case 12:
      return {32, 256};
    case 16:
      return {16, 256};
    case 24:
      return {16, 384};
    default:  // 32
      return {8, 256};
  }
}

template <int pixel, bool aligned>
void run_square(const Square& s, cudaStream_t stream) {
  constexpr SquareTuning tuning = square_tuning(pixel);
  constexpr int row_bytes =
      (tuning.side * pixel + (aligned ? 0 : granule - device::word_bytes(pixel)) + 127) / 128 * 128;
  constexpr auto kernel = turn_square<pixel, row_bytes, tuning.side, tuning.threads, aligned>;
  constexpr int tile_bytes = device::TurnedTile<pixel, row_bytes, tuning.side, tuning.side,
                                                tuning.threads, aligned>::bytes;
  const std::size_t bytes = tile_bytes * (s.quarter ? 4 : 2);
  device::allow_dynamic_shared(kernel, 4 * tile_bytes);
  device::launch_overlapping(kernel, orbit_grid(s, tuning.side), tuning.threads, bytes, stream, s);
}

template <int word>
void run_words(const Square& s, int pixel, cudaStream_t stream) {
  device::launch_overlapping(turn_square_by_words<word>,
                             orbit_grid(s, device::word_tile_side(pixel)), row_threads, stream, s,
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

bool run_known(const Square& s, int pixel, int alignment, cudaStream_t stream) {
  switch (pixel) {
    case 1:
      return run_sized<1>(s, alignment, stream);
    case 2:
      return run_sized<2>(s, alignment, stream);
    case 3:
      return run_sized<3>(s, alignment, stream);
    case 4:
      return run_sized<4>(s, alignment, stream);
    case 6:
      return run_sized<6>(s, alignment, stream);
    case 8:
      return run_sized<8>(s, alignment, stream);
    case 12:
      return run_sized<12>(s, alignment, stream);
    case 16:
      return run_sized<16>(s, alignment, stream);
    case 24:
      return run_sized<24>(s, alignment, stream);
    case 32:
      return run_sized<32>(s, alignment, stream);
    default:
      return false;
  }
}

void turn(View view, bool quarter, cudaStream_t stream) {
  const Square s{static_cast<Byte*>(view.data), view.pitch, view.width, quarter};
  const int pixel = view.pixel_bytes;
  const int alignment = alignment_of({view, view, Motion::transpose});
  if (view.width < 2 || run_known(s, pixel, alignment, stream)) return;
  switch (std::min(alignment, device::word_bytes(pixel))) {
    case 1:
      return run_words<1>(s, pixel, stream);
    case 2:
      return run_words<2>(s, pixel, stream);
    case 4:
      return run_words<4>(s, pixel, stream);
    case 8:
      return run_words<8>(s, pixel, stream);
    default:
      return run_words<16>(s, pixel, stream);
  }
}

}  // namespace

void transform_in_place(View view, Orientation orientation, cudaStream_t stream) {
  check_in_place(view, orientation);
  if (view.empty()) return;
  switch (orientation) {
    case Orientation::identity:
      return;
    case Orientation::flop:
      return flop(view, stream);
    case Orientation::flip:
      return exchange_halves<false>(view, stream);
    case Orientation::rotate180:
      exchange_halves<true>(view, stream);
      if (view.height % 2 == 1) flop(sub_view(view, 0, view.height / 2, view.width, 1), stream);
      return;
    case Orientation::transpose:
      return turn(view, false, stream);
    case Orientation::transverse:
      return turn(upside_down(view), false, stream);
    case Orientation::rotate90:
      return turn(view, true, stream);
    case Orientation::rotate270:
      return turn(upside_down(view), true, stream);
  }
}

}  // namespace qturn
