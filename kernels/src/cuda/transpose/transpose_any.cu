// Transposing pictures that are aligned to their pixels only.
//
// Memory is fast in aligned pieces, but here each row of the source and each row of the destination
// begins at another place within 16 bytes. So a row of the tile lies in shared memory with the
// phase that it has in global memory, and a thread makes an aligned granule of a row of the
// destination, whatever pixel it begins in. Tiles therefore end at multiples of 32 bytes, at
// another pixel in each row of the destination, so that no two blocks write to one sector: a tile
// reads as many rows before its first one as lie in 31 bytes.
//
//   4 bytes and more, and 6   words are gathered one by one (gathered_tile.cuh)
//   1, 2 and 3                pixels are exchanged in registers (skewed_tile.cuh)
#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/transpose/any_tile.cuh"
#include "kernels/src/cuda/transpose/transpose.cuh"
#include "kernels/src/cuda/tuning.cuh"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn {
namespace {

using device::Transpose;

template <int pixel>
__global__ void __launch_bounds__(device::Tuning::any(pixel).threads,
                                  device::resident_threads / device::Tuning::any(pixel).threads)
    transpose_any_tile(const Transpose t) {
  constexpr AnyTuning tuning = device::Tuning::any(pixel);
  using Tile = device::AnyTile<pixel, tuning, tuning.threads>;
  alignas(128) __shared__ device::Byte tile[Tile::bytes];
  const device::TileOrigin origin = device::tile_origin(t, tuning.width, Tile::own_rows);
  if (origin.x >= t.width) return;
  const device::TileArea area(t, {t.begin, t.end}, origin.x, origin.y, pixel, tuning);
  device::wait_for_previous_kernel([&] {
    if constexpr (requires { Tile::prefetch_rows(area); }) {
      if (device::is_among_first(t.early)) Tile::prefetch_rows(area);
    }
  });
  Tile::run(tile, area, device::ThisThread());
}

template <int pixel>
void run_any(const Reduced& r, cudaStream_t stream) {
  const auto kernel = transpose_any_tile<pixel>;
  const AnyTuning t = device::tuning_of(kernel, [](auto table) { return table.any(pixel); });
  const dim3 grid =
      device::tile_grid(device::divide_up(r.src.width, t.width),
                        device::divide_up(r.src.height + t.before, t.rows - t.before), 0);
  const unsigned early = t.exchanges() ? device::waiting_blocks(current_device(), t.threads) : 0;
  device::launch_overlapping(kernel, grid, t.threads, stream, Transpose(r, 0, early));
}

}  // namespace

bool transpose_any(const Reduced& r, int alignment, cudaStream_t stream) {
  if (alignment % device::word_bytes(r.src.pixel_bytes) != 0) return false;
  return with_pixel(r.src.pixel_bytes, [&](auto pixel) {
    // Aligned to themselves, the largest are aligned.
    if constexpr (pixel.value == 0 || pixel.value == 16 || pixel.value == 32) {
      return false;
    } else {
      run_any<pixel.value>(r, stream);
      return true;
    }
  });
}

}  // namespace qturn
