#include "kernels/src/transpose_any.cuh"

#include "kernels/src/families.hpp"
#include "kernels/src/transpose_any_shift.cuh"
#include "kernels/src/tuning.hpp"

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
    constexpr ShiftTuning t = shift_tuning(pixel);
    using Tile = device::ShiftTile<pixel, t.width, t.rows, t.before, t.threads, t.units>;
    run(device::transpose_any_shift<Tile, 128>, r, t.width, Tile::height, t.before, t.threads,
        device::waiting_blocks(current_device(), t.threads), stream);
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
  switch (r.src.pixel_bytes) {
    case 1:
      run_any<1>(r, stream);
      return true;
    case 2:
      run_any<2>(r, stream);
      return true;
    case 3:
      run_any<3>(r, stream);
      return true;
    case 4:
      run_any<4>(r, stream);
      return true;
    case 6:
      run_any<6>(r, stream);
      return true;
    case 8:
      run_any<8>(r, stream);
      return true;
    case 12:
      run_any<12>(r, stream);
      return true;
    case 24:
      run_any<24>(r, stream);
      return true;
    default:
      return false;
  }
}

}  // namespace qturn
