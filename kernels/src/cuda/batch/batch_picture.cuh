// A planned picture of a batch, and how it is cut into tiles (batch_plan.cuh).
//
// Everything that is the same for all blocks of a picture is computed once, by the host, or by the
// device if the descriptors are there: the extent of the source, the alignment, and the factor by
// which a multiplication divides numbers of granules and tiles.
#pragma once

#include <qturn/batch.hpp>

#include "kernels/src/cuda/batch/batch_plan.cuh"
#include "kernels/src/cuda/rows/row_granules.cuh"
#include "kernels/src/cuda/transpose/word_tile.cuh"
#include "kernels/src/cuda/tuning.cuh"

namespace qturn::device {

/// One picture of a batch, reduced to one of three motions. It has everything that is the same for
/// its blocks, so that they need not compute it again.
struct BatchPicture {
  static constexpr unsigned stretches = 1024;  // four for each picture of 256

  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t width;  // of the source
  std::int64_t height;
  Extent picture;  // the source
  Divisor line;    // by granules in a row; transposes: tiles in a column, which numbers go down
  std::uint8_t motion;
  bool has_other_pixels;  // where a launch has pixels of two sizes
  // Divides all addresses and pitches, and mirrored rows: a power of two, up to 16.
  std::uint16_t alignment;
};

inline constexpr std::uint8_t copy_motion = 0;
inline constexpr std::uint8_t mirror_motion = 1;
inline constexpr std::uint8_t transpose_motion = 2;

/// Granules that a thread makes of a picture that is copied or mirrored. Two mean fewer blocks,
/// which pays for small pictures. But two unaligned granules do not fit into the registers of a
/// thread, and one after the other is slower. In % of a copy, with one and with two (H200,
/// 2026-11-22):
///
///                                  1 byte         3 bytes
///   256 of 224x224, tight, flop   90.7   97.2   91.5   97.9    aligned
///   64 of 16 to 2048, tight, flop 86.2   76.8   85.3   79.6    most are not
__host__ __device__ constexpr int granules_of_thread(std::uint8_t motion, int alignment,
                                                     int pixel) {
  const bool depends = motion == copy_motion || has_aligned_mirror(pixel);
  return depends && alignment != granule ? 1 : 2;
}

enum class BatchTile { aligned, any, words };

__host__ __device__ constexpr BatchTile batch_tile(int pixel, const BatchTuning& tuning,
                                                   int alignment) {
  return alignment == granule && tuning.aligned_rows != 0         ? BatchTile::aligned
         : alignment >= word_bytes(pixel) && tuning.any.rows != 0 ? BatchTile::any
                                                                  : BatchTile::words;
}

/// Fills in `p`, and returns its number of tiles. Done by the host, or by the device where the
/// descriptors lie there. If other pictures are to lie strides further on, `p` fits them all.
__host__ __device__ inline std::int64_t plan_picture(const BatchImage& image, int pixel,
                                                     const BatchTuning& tuning, BatchPicture& p,
                                                     std::int64_t src_stride = 0,
                                                     std::int64_t dst_stride = 0) {
  const bool swaps = is_in(swapped, image.orientation);
  const bool mirrors = is_in(from_right, image.orientation);
  p.src = static_cast<const Byte*>(image.src.data);
  p.dst = static_cast<Byte*>(image.dst.data);
  p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
  p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
  p.width = image.src.width;
  p.height = image.src.height;
  p.picture = {};
  p.line = Divisor(1);
  p.motion = swaps ? transpose_motion : mirrors ? mirror_motion : copy_motion;
  p.alignment = granule;
  p.has_other_pixels = false;
  if (p.width == 0 || p.height == 0) return 0;
  if (is_in(from_bottom, image.orientation)) {
    p.src += (image.src.height - 1) * p.src_pitch;
    p.src_pitch = -p.src_pitch;
  }
  if (swaps && mirrors) {
    p.dst += (image.dst.height - 1) * p.dst_pitch;
    p.dst_pitch = -p.dst_pitch;
  }
  const std::int64_t row_bytes = p.width * pixel;
  p.picture = extent(p.src, p.src_pitch, p.height, row_bytes);
  const auto dst_bits = reinterpret_cast<std::uintptr_t>(p.dst) |
                        static_cast<std::uintptr_t>(p.dst_pitch | dst_stride);
  const auto bits = dst_bits | reinterpret_cast<std::uintptr_t>(p.src) |
                    static_cast<std::uintptr_t>(p.src_pitch | src_stride) |
                    (p.motion == mirror_motion ? static_cast<std::uintptr_t>(row_bytes) : 0);
  while ((bits & (p.alignment - 1u)) != 0) p.alignment /= 2;

  const auto up = [](std::int64_t number, std::int64_t by) { return (number + by - 1) / by; };
  if (p.motion != transpose_motion) {
    // Where rows begin anywhere, one granule may begin before them.
    const std::int64_t granules =
        (row_bytes + (dst_bits % granule == 0 ? granule - 1 : 2 * granule - 2)) / granule;
    const int of_thread = granules_of_thread(p.motion, p.alignment, pixel);
    // The device divides fast by what the compiler knows.
    const std::int64_t of_one = up(granules * p.height, tuning.threads);
    const std::int64_t tiles = of_thread == 1 ? of_one : up(of_one, 2);
    p.line = Divisor(granules, tiles * tuning.threads * of_thread);
    return tiles;
  }
  std::int64_t across = 0;
  std::int64_t down = 0;
  switch (batch_tile(pixel, tuning, p.alignment)) {
    case BatchTile::aligned:
      across = up(row_bytes, tuning.aligned_row_bytes);
      down = up(p.height, tuning.aligned_rows);
      break;
    case BatchTile::any:
      across = up(p.width, tuning.any.width);
      down = up(p.height + tuning.any.before, tuning.any.rows - tuning.any.before);
      break;
    case BatchTile::words:
      across = up(p.width, word_tile_side(pixel));
      down = up(p.height, word_tile_side(pixel));
      break;
  }
  p.line = Divisor(down, across * down);
  return across * down;
}

}  // namespace qturn::device
