#include "kernels/src/cuda/transpose/transpose_tiles.cuh"

#include "kernels/src/cuda/families.hpp"
#include "kernels/src/cuda/tuning.cuh"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn {
namespace {

using device::Transpose;

/// `piece`: of how many bytes the destination's address and pitch are multiples, 16 or 8.
template <int pixel, Rows rows, int piece>
constexpr auto tile_kernel() {
  if constexpr (pixel == 3) {
    return device::transpose_triple<rows, piece>;
  } else if constexpr (pixel < 3) {
    return device::transpose_pack<pixel, rows>;
  } else {
    return device::transpose_gather<pixel, rows>;
  }
}

template <int pixel, Rows rows, int piece>
void run_tiles(const Reduced& r, const TileTuning& tuning, unsigned strip_shift,
               const DeviceTraits& gpu, cudaStream_t stream) {
  const Transpose transpose(r, strip_shift,
                            tuning.early ? device::waiting_blocks(gpu, tuning.threads) : 0);
  const dim3 grid = device::tile_grid(device::divide_up(r.src.width, tuning.row_bytes / pixel),
                                      device::divide_up(r.src.height, tuning.rows), strip_shift);
  device::launch_overlapping(tile_kernel<pixel, rows, piece>(), grid, tuning.threads, stream,
                             transpose);
}

Rows rows_of(const Reduced& r, const TileTuning& tuning, const DeviceTraits& gpu) {
  const std::int64_t tiles = device::divide_up(r.src.row_bytes(), tuning.row_bytes) *
                             device::divide_up(r.src.height, tuning.rows);
  if (tiles < gpu.resident_threads / tuning.threads * gpu.multiprocessors) return Rows::few_tiles;
  return r.src.pitch % 256 == 0 ? Rows::whole_lines : Rows::ragged;
}

template <int pixel, int piece = device::granule>
void run(const Reduced& r, cudaStream_t stream) {
  const DeviceTraits& gpu = current_device();
  device::tuning_of(tile_kernel<pixel, Rows::whole_lines, piece>(), [&](auto table) {
    const auto run_as = [&]<Rows rows>() {
      run_tiles<pixel, rows, piece>(r, table.tile(pixel, rows),
                                    table.strip_shift(pixel, rows, r.src.pitch), gpu, stream);
    };
    switch (rows_of(r, table.tile(pixel, Rows::whole_lines), gpu)) {
      case Rows::whole_lines:
        return run_as.template operator()<Rows::whole_lines>();
      case Rows::ragged:
        return run_as.template operator()<Rows::ragged>();
      case Rows::few_tiles:
        return run_as.template operator()<Rows::few_tiles>();
    }
  });
}

}  // namespace

bool transpose_tiles(const Reduced& r, cudaStream_t stream) {
  const int dst_alignment = alignment_of(ConstView(r.dst));
  if (alignment_of(r.src) < device::granule) return false;
  if (dst_alignment < (r.src.pixel_bytes <= 3 ? 8 : device::granule)) return false;
  return with_pixel(r.src.pixel_bytes, [&](auto pixel) {
    if constexpr (pixel.value == 0) {
      return false;
    } else {
      if constexpr (pixel.value == 3) {
        if (dst_alignment == 8) {
          run<3, 8>(r, stream);
          return true;
        }
      }
      run<pixel.value>(r, stream);
      return true;
    }
  });
}

}  // namespace qturn
