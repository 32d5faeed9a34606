#include "kernels/src/cuda/transpose/transpose_any.cuh"

#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/tuning.cuh"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn {
namespace {

using device::Transpose;

void run(void (*kernel)(Transpose), const Reduced& r, int width, int height, int before,
         int threads, unsigned early, cudaStream_t stream) {
  const dim3 grid = device::tile_grid(device::divide_up(r.src.width, width),
                                      device::divide_up(r.src.height + before, height), 0);
  device::launch_overlapping(kernel, grid, threads, stream, Transpose(r, 0, early));
}

template <int pixel>
void run_any(const Reduced& r, cudaStream_t stream) {
  if constexpr (pixel <= 3) {
    constexpr SkewTuning t = skew_tuning(pixel);
    constexpr int row_granules = (t.width * pixel + 2 * device::granule - 2) / device::granule;
    using Tile = device::SkewedTile<pixel, t.width, t.rows, t.before, t.threads, t.units,
                                    row_granules, t.lanes_down, 1>;
    run(device::transpose_any_skewed<Tile, pixel, t.width, t.before>, r, t.width, Tile::own_rows,
        t.before, t.threads, device::waiting_blocks(current_device(), t.threads), stream);
  } else {
    constexpr AnyTuning t = any_tuning(pixel);
    run(device::transpose_any_gather<pixel, t.row_bytes, t.width, t.height, t.before, t.threads,
                                     t.group_bytes, t.prefetch>,
        r, t.width, t.height, t.before, t.threads, 0, stream);
  }
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
