// What a picture of a batch is once it is planned, and how it is cut into tiles (batch_plan.cuh).
//
// Everything that is the same for all blocks of a picture is found out once, by the host, or by the
// device where the descriptors lie there: the extent of the source, the alignment, and the factor
// by which a multiplication divides numbers of granules and tiles.
#ifndef QTURN_KERNELS_BATCH_PICTURE_CUH
#define QTURN_KERNELS_BATCH_PICTURE_CUH

#include <qturn/batch.hpp>

#include "kernels/src/batch_plan.cuh"
#include "kernels/src/row_granules.cuh"
#include "kernels/src/turned_tile.cuh"

namespace qturn::device {

/// One pixel size's tiles. `aligned` ones are `aligned_row_bytes` x `aligned_rows`. The others
/// are `width` x `rows` pixels in memory, in rows of `row_bytes` (none where they are linear), of
/// which the first `before` are shared with the tile above: stored granules begin at multiples of
/// 32, at another pixel in each row of the destination, so that no two blocks write to one sector.
struct BatchTuning {
  int threads;
  int aligned_row_bytes;
  int aligned_rows;
  int row_bytes;
  int width;
  int rows;
  int before;
};

__host__ __device__ constexpr BatchTuning batch_tuning(int pixel) {
  switch (pixel) {
    case 1:
      return {512, 128, 128, 0, 96, 160, 32};
    case 2:
      return {512, 256, 64, 128, 56, 128, 16};
    case 3:
      return {512, 384, 64, 0, 80, 76, 12};
    case 4:
      return {256, 256, 32, 256, 60, 64, 8};
    case 6:
      return {384, 384, 32, 384, 60, 38, 6};
    case 8:
      return {256, 256, 32, 256, 31, 32, 4};
    case 12:
      return {384, 384, 32, 384, 31, 35, 3};
    case 16:
      return {128, 256, 16, 0, 0, 0, 0};
    case 24:
      return {192, 384, 16, 384, 15, 18, 2};
    case 32:
      return {128, 256, 16, 0, 0, 0, 0};
    default:
      return {256, 0, 0, 0, 0, 0, 0};
  }
}

/// The same in blocks of as many threads as other pixels of the launch want: 4-byte chroma beside
/// 2-byte luma.
__host__ __device__ constexpr BatchTuning batch_tuning(int pixel, int threads) {
  if (pixel == 4 && threads == 512) return {512, 256, 64, 256, 60, 64, 8};
  return batch_tuning(pixel);
}

/// One picture of a batch, reduced to one of three motions. All that is the same for its blocks is
/// in it, so that they need not find it out each.
struct BatchPicture {
  static constexpr unsigned stretches = 1024;  // four for each picture of 256

  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t width;  // of the source
  std::int64_t height;
  Extent picture;    // the source
  unsigned divisor;  // granules in a row; transposes: tiles in a column, which numbers go down
  unsigned factor;   // by which quotient() divides; 0 if numbers may be too large for it
  unsigned shift;
  std::uint8_t motion;
  bool has_other_pixels;  // where a launch has pixels of two sizes
  // Of all addresses and pitches, and of rows that are mirrored: a power of two, up to 16.
  std::uint16_t alignment;
};

inline constexpr std::uint8_t copy_motion = 0;
inline constexpr std::uint8_t mirror_motion = 1;
inline constexpr std::uint8_t transpose_motion = 2;

/// Sets what quotient() divides numbers to before `end` by.
__host__ __device__ inline void divide_by(BatchPicture& p, std::int64_t divisor, std::int64_t end) {
  p.divisor = static_cast<unsigned>(divisor);
  p.factor = 0;
  p.shift = 0;
  if (end > std::int64_t{1} << 31) return;
  while (std::uint64_t{1} << p.shift < p.divisor) ++p.shift;
  p.factor = static_cast<unsigned>((std::uint64_t{1} << (31 + p.shift)) / p.divisor + 1);
}

/// `number` / p.divisor. The factor is up to 1 more than 2^(31 + shift) / divisor, so below 2^31
/// the product is too large by less than the fraction that is cut off.
__device__ __forceinline__ unsigned quotient(const BatchPicture& p, unsigned number) {
  return p.factor != 0 ? __umulhi(number * 2, p.factor) >> p.shift : number / p.divisor;
}

/// Granules that a thread makes of a picture that is copied or mirrored. Two mean fewer blocks,
/// which pays for small pictures; but two unaligned ones have no room in the registers that a
/// thread has, and one after the other is slower. In % of a copy, with one and with two (H200,
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

__host__ __device__ constexpr BatchTile batch_tile(int pixel, int alignment) {
  const BatchTuning tuning = batch_tuning(pixel);
  return alignment == granule && tuning.aligned_rows != 0     ? BatchTile::aligned
         : alignment >= word_bytes(pixel) && tuning.rows != 0 ? BatchTile::any
                                                              : BatchTile::words;
}

/// Fills in `p`, and returns its number of tiles. Done by the host, or by the device where the
/// descriptors lie there.
__host__ __device__ inline std::int64_t plan_picture(const BatchImage& image, int pixel,
                                                     const BatchTuning& tuning, BatchPicture& p) {
  const bool swaps = is_in(swapped, image.orientation);
  const bool mirrors = is_in(from_right, image.orientation);
  p.src = static_cast<const Byte*>(image.src.data);
  p.dst = static_cast<Byte*>(image.dst.data);
  p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
  p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
  p.width = image.src.width;
  p.height = image.src.height;
  p.picture = {};
  p.divisor = 1;
  p.factor = 0;
  p.shift = 0;
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
  const auto dst_bits =
      reinterpret_cast<std::uintptr_t>(p.dst) | static_cast<std::uintptr_t>(p.dst_pitch);
  const auto bits = dst_bits | reinterpret_cast<std::uintptr_t>(p.src) |
                    static_cast<std::uintptr_t>(p.src_pitch) |
                    (p.motion == mirror_motion ? static_cast<std::uintptr_t>(row_bytes) : 0);
  while ((bits & (p.alignment - 1u)) != 0) p.alignment /= 2;

  const auto up = [](std::int64_t number, std::int64_t by) { return (number + by - 1) / by; };
  if (p.motion != transpose_motion) {
    // Where rows begin anywhere, one granule may begin before them.
    const std::int64_t granules =
        (row_bytes + (dst_bits % granule == 0 ? granule - 1 : 2 * granule - 2)) / granule;
    const int of_block = tuning.threads * granules_of_thread(p.motion, p.alignment, pixel);
    const std::int64_t tiles = up(granules * p.height, of_block);
    divide_by(p, granules, tiles * of_block);
    return tiles;
  }
  std::int64_t across = 0;
  std::int64_t down = 0;
  switch (batch_tile(pixel, p.alignment)) {
    case BatchTile::aligned:
      across = up(row_bytes, tuning.aligned_row_bytes);
      down = up(p.height, tuning.aligned_rows);
      break;
    case BatchTile::any:
      across = up(p.width, tuning.width);
      down = up(p.height + tuning.before, tuning.rows - tuning.before);
      break;
    case BatchTile::words:
      across = up(p.width, word_tile_side(pixel));
      down = up(p.height, word_tile_side(pixel));
      break;
  }
  divide_by(p, down, across * down);
  return across * down;
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_BATCH_PICTURE_CUH
