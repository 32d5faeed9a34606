// Transposing pixels of any size at any address: the path that always works.
//
// A tile of 32 x 32 pixels (fewer where they are large) goes through shared memory in words of the
// largest size that divides pixel, addresses and pitches. Both sides are then accessed in sequence.
#include <algorithm>

#include "kernels/src/families.hpp"
#include "kernels/src/transpose.cuh"

namespace qturn {
namespace {

using device::Byte;
using device::Divisor;
using device::Transpose;

constexpr int threads = 256;
constexpr int tile_bytes = 32 * 1024;

/// Tiles are `side` x `side` pixels of `pixel` bytes.
template <int word>
__global__ void __launch_bounds__(threads)
    transpose_by_words(const Transpose t, int pixel, int side, Divisor words_in_pixel,
                       Divisor words_in_row) {
  alignas(16) __shared__ Byte tile[tile_bytes];
  device::wait_for_previous_kernel();
  const auto origin = device::tile_origin(t, side, side);
  if (origin.x >= t.width) return;
  const std::int64_t left = t.width - origin.x;
  const std::int64_t below = t.height - origin.y;
  const int columns = left < side ? static_cast<int>(left) : side;
  const int rows = below < side ? static_cast<int>(below) : side;
  const int row_words = static_cast<int>(words_in_row.divisor);

  const Byte* src = t.src + origin.y * t.src_pitch + origin.x * pixel;
  for (int number = static_cast<int>(threadIdx.x); number < rows * row_words; number += threads) {
    const int row = static_cast<int>(words_in_row.quotient(number));
    const int at = (number - row * row_words) * word;
    if (at < columns * pixel) {
      device::store<word>(tile + number * word, device::load<word>(src + row * t.src_pitch + at));
    }
  }
  __syncthreads();

  // Word `at` of a row of the destination belongs to the pixel of one row of the tile.
  Byte* dst = t.dst + origin.x * t.dst_pitch + origin.y * pixel;
  const int pixel_words = static_cast<int>(words_in_pixel.divisor);
  for (int number = static_cast<int>(threadIdx.x); number < columns * row_words;
       number += threads) {
    const int column = static_cast<int>(words_in_row.quotient(number));
    const int at = number - column * row_words;
    const int row = static_cast<int>(words_in_pixel.quotient(at));
    if (row < rows) {
      const int part = at - row * pixel_words;
      device::store<word>(
          dst + column * t.dst_pitch + at * word,
          device::load<word>(tile + (row * row_words + column * pixel_words + part) * word));
    }
  }
}

template <int word>
void run_words(const Reduced& r, cudaStream_t stream) {
  const int pixel = r.src.pixel_bytes;
  const int side = pixel <= 32 ? 32 : pixel <= 128 ? 16 : 8;
  const Transpose transpose(r);
  const dim3 grid = device::tile_grid(device::divide_up(r.src.width, side),
                                      device::divide_up(r.src.height, side), 0);
  const auto words = static_cast<std::uint32_t>(pixel / word);
  device::launch_overlapping(transpose_by_words<word>, grid, threads, stream, transpose, pixel,
                             side, Divisor(words),
                             Divisor(words * static_cast<std::uint32_t>(side)));
}

}  // namespace

void transpose_words(const Reduced& r, int alignment, cudaStream_t stream) {
  switch (std::min(alignment, device::word_bytes(r.src.pixel_bytes))) {
    case 1:
      return run_words<1>(r, stream);
    case 2:
      return run_words<2>(r, stream);
    case 4:
      return run_words<4>(r, stream);
    case 8:
      return run_words<8>(r, stream);
    default:
      return run_words<16>(r, stream);
  }
}

}  // namespace qturn
