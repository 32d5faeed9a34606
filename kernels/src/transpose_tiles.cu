#include "kernels/src/transpose_tiles.cuh"

#include "kernels/src/families.hpp"
#include "kernels/src/tuning.hpp"

namespace qturn {
namespace {

using device::Transpose;

template <int pixel, bool small>
constexpr auto tile_kernel() {
  constexpr TileTuning t = tile_tuning(pixel, small);
  if constexpr (pixel == 3) {
    return device::transpose_triple<t.row_bytes, t.rows, t.threads, t.unit_rows, t.prefetch,
                                    t.lanes_down>;
  } else if constexpr (pixel < 3) {
    return device::transpose_pack<pixel, t.row_bytes, t.rows, t.threads, t.unit_rows, t.prefetch,
                                  t.lanes_down>;
  } else {
    return device::transpose_gather<pixel, t.row_bytes, t.rows, t.threads, t.unit_rows, t.prefetch,
                                    t.lanes_down>;
  }
}

template <int pixel, bool small>
void run_tiles(const Reduced& r, cudaStream_t stream) {
  constexpr TileTuning tuning = tile_tuning(pixel, small);
  const Transpose transpose(r, strip_shift(pixel, r.src.pitch));
  const dim3 grid =
      device::tile_grid(device::divide_up(r.src.width, tuning.row_bytes / pixel),
                        device::divide_up(r.src.height, tuning.rows), transpose.strip_shift);
  device::launch(tile_kernel<pixel, small>(), grid, tuning.threads, 0, stream, transpose);
}

// True where the larger tiles of this size would fill the current device fewer than four times.
bool is_small(const Reduced& r) {
  const TileTuning tuning = tile_tuning(r.src.pixel_bytes, false);
  int device = 0;
  int multiprocessors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const std::int64_t tiles = device::divide_up(r.src.row_bytes(), tuning.row_bytes) *
                             device::divide_up(r.src.height, tuning.rows);
  return tiles < std::int64_t{4} * (2048 / tuning.threads) * multiprocessors;
}

template <int pixel>
void run_either(const Reduced& r, cudaStream_t stream) {
  is_small(r) ? run_tiles<pixel, true>(r, stream) : run_tiles<pixel, false>(r, stream);
}

}  // namespace

bool transpose_tiles(const Reduced& r, int alignment, cudaStream_t stream) {
  if (alignment < device::granule) return false;
  switch (r.src.pixel_bytes) {
    case 1:
      run_either<1>(r, stream);
      return true;
    case 2:
      run_tiles<2, false>(r, stream);
      return true;
    case 3:
      run_either<3>(r, stream);
      return true;
    case 4:
      run_tiles<4, false>(r, stream);
      return true;
    case 6:
      run_tiles<6, false>(r, stream);
      return true;
    case 8:
      run_tiles<8, false>(r, stream);
      return true;
    case 12:
      run_tiles<12, false>(r, stream);
      return true;
    case 16:
      run_tiles<16, false>(r, stream);
      return true;
    case 24:
      run_tiles<24, false>(r, stream);
      return true;
    case 32:
      run_tiles<32, false>(r, stream);
      return true;
    default:
      return false;
  }
}

}  // namespace qturn
