// Transposing pixels of any size at any address: the path that always works.
//
// A tile of 32 x 32 pixels (fewer where they are large) goes through shared memory in words of the
// largest size that divides pixel, addresses and pitches. Both sides are then accessed in sequence.
#include <algorithm>

#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/transpose/transpose.cuh"
#include "kernels/src/cuda/transpose/word_tile.cuh"
#include "kernels/src/pixel_sizes.hpp"

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
  const device::WordTile<word, Divisor> words{columns, rows, words_in_pixel, words_in_row};
  words.load_rows(tile, t.src + origin.y * t.src_pitch + origin.x * pixel, t.src_pitch, threads);
  __syncthreads();
  words.store_columns(tile, t.dst + origin.x * t.dst_pitch + origin.y * pixel, t.dst_pitch,
                      threads);
}

template <int word>
void run_words(const Reduced& r, cudaStream_t stream) {
  const int pixel = r.src.pixel_bytes;
  const int side = pixel <= 32 ? 32 : pixel <= 128 ? 16 : 8;
  const Transpose transpose(r);
  const dim3 grid = device::tile_grid(device::divide_up(r.src.width, side),
                                      device::divide_up(r.src.height, side), 0);
  const int words = pixel / word;
  device::launch_overlapping(transpose_by_words<word>, grid, threads, stream, transpose, pixel,
                             side, Divisor(words), Divisor(words * side));
}

}  // namespace

void transpose_words(const Reduced& r, int alignment, cudaStream_t stream) {
  with_word(std::min(alignment, device::word_bytes(r.src.pixel_bytes)),
            [&](auto word) { run_words<word.value>(r, stream); });
}

}  // namespace qturn
