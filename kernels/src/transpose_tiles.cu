#include "kernels/src/transpose_tiles.cuh"

#include "kernels/src/families.hpp"
#include "kernels/src/tuning.hpp"

namespace qturn {
namespace {

using device::Transpose;

/// `piece`: of how many bytes the destination's address and pitch are multiples, 16 or 8.
template <int pixel, Rows rows, int piece>
constexpr auto tile_kernel() {
  constexpr TileTuning t = tile_tuning(pixel, rows);
  if constexpr (pixel == 3) {
    return device::transpose_triple<t.row_bytes, t.rows, t.threads, t.unit_rows, t.prefetch,
                                    t.lanes_down, piece>;
  } else if constexpr (pixel < 3) {
    return device::transpose_pack<pixel, t.row_bytes, t.rows, t.threads, t.unit_rows, t.prefetch,
                                  t.lanes_down>;
  } else {
    return device::transpose_gather<pixel, t.row_bytes, t.rows, t.threads, t.unit_rows, t.prefetch,
                                    t.lanes_down>;
  }
}

template <int pixel, Rows rows, int piece>
void run_tiles(const Reduced& r, const DeviceTraits& gpu, cudaStream_t stream) {
  constexpr TileTuning tuning = tile_tuning(pixel, rows);
  const Transpose transpose(r, strip_shift(pixel, rows, r.src.pitch),
                            tuning.early ? device::waiting_blocks(gpu, tuning.threads) : 0);
  const dim3 grid =
      device::tile_grid(device::divide_up(r.src.width, tuning.row_bytes / pixel),
                        device::divide_up(r.src.height, tuning.rows), transpose.strip_shift);
  device::launch_overlapping(gpu, tile_kernel<pixel, rows, piece>(), grid, tuning.threads, 0,
                             stream, transpose);
}

Rows rows_of(const Reduced& r, const DeviceTraits& gpu) {
  const TileTuning tuning = tile_tuning(r.src.pixel_bytes, Rows::whole_lines);
  const std::int64_t tiles = device::divide_up(r.src.row_bytes(), tuning.row_bytes) *
                             device::divide_up(r.src.height, tuning.rows);
  if (tiles < 2048 / tuning.threads * gpu.multiprocessors) return Rows::few_tiles;
  return r.src.pitch % 256 == 0 ? Rows::whole_lines : Rows::ragged;
}

template <int pixel, int piece = device::granule>
void run(const Reduced& r, cudaStream_t stream) {
  const DeviceTraits& gpu = current_device();
  switch (rows_of(r, gpu)) {
    case Rows::whole_lines:
      return run_tiles<pixel, Rows::whole_lines, piece>(r, gpu, stream);
    case Rows::ragged:
      return run_tiles<pixel, Rows::ragged, piece>(r, gpu, stream);
    case Rows::few_tiles:
      return run_tiles<pixel, Rows::few_tiles, piece>(r, gpu, stream);
  }
}

}  // namespace

bool transpose_tiles(const Reduced& r, cudaStream_t stream) {
  const int dst_alignment = alignment_of(ConstView(r.dst));
  if (alignment_of(r.src) < device::granule) return false;
  if (dst_alignment < (r.src.pixel_bytes <= 3 ? 8 : device::granule)) return false;
  switch (r.src.pixel_bytes) {
    case 1:
      run<1>(r, stream);
      return true;
    case 2:
      run<2>(r, stream);
      return true;
    case 3:
      dst_alignment == 8 ? run<3, 8>(r, stream) : run<3>(r, stream);
      return true;
    case 4:
      run<4>(r, stream);
      return true;
    case 6:
      run<6>(r, stream);
      return true;
    case 8:
      run<8>(r, stream);
      return true;
    case 12:
      run<12>(r, stream);
      return true;
    case 16:
      run<16>(r, stream);
      return true;
    case 24:
      run<24>(r, stream);
      return true;
    case 32:
      run<32>(r, stream);
      return true;
    default:
      return false;
  }
}

}  // namespace qturn
