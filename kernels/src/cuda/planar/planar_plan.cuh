// How pictures that become planar are cut into tiles.
#pragma once

#include <qturn/planar.hpp>

#include "kernels/src/cuda/batch/batch_plan.cuh"
#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/tuning.cuh"

namespace qturn::device {

/// Bytes of a destination row in a tile, where axes are swapped.
inline constexpr int planar_piece = 128;

/// The table's tiles. Samples that become bytes need twice as many rows; there a row is 256 bytes
/// at most.
template <class Table>
__host__ __device__ constexpr PlanarTuning planar_tuning(Table table, int pixel, int dst_sample) {
  if (dst_sample > 1) return table.planar(pixel);
  if (pixel <= 3) return {64, 128};
  if (pixel <= 6) return {32, 128};
  return pixel <= 12 ? PlanarTuning{16, 128} : PlanarTuning{8, 64};
}

/// Bytes from a row to the next in shared memory where axes are swapped.
__host__ __device__ constexpr int planar_row_bytes(const PlanarTuning& tuning, int pixel) {
  return (tuning.width * pixel + granule - 1 + 127) / 128 * 128;
}

__host__ __device__ constexpr int planar_tile_bytes(const PlanarTuning& tuning, int pixel,
                                                    int dst_sample) {
  const int in = planar_piece / dst_sample * planar_row_bytes(tuning, pixel);
  const int out = tuning.width * planar_piece + 128;
  const int least = pixel < 3 ? 16 * 1024 : 24 * 1024;  // columns of pictures with some 200 rows
  return in > out ? (in > least ? in : least) : (out > least ? out : least);
}

/// If axes are kept: the words around a run are read from after a row.
inline constexpr int planar_margin = 16;

/// Where axes are kept, rows of so many bytes keep the phase that they have in lines of 128 bytes,
/// shorter ones only that in granules.
inline constexpr int planar_long_row = 512;

/// Bytes from a row to the next in shared memory where axes are kept.
__host__ __device__ constexpr int planar_kept_row_bytes(int bytes) {
  const int line = bytes >= planar_long_row ? 128 : granule;
  return (bytes + 2 * line - 2) / line * line;
}

/// How tiles lie in shared memory whose rows in the planes are not whole granules: a row has room
/// for whatever phase it has in global memory, and rows are as far apart as they are there, modulo
/// 16. If axes are swapped, there is another granule after eight rows, so that the threads of a
/// warp, which read pieces of a column, meet different banks.
struct PlanarRows {
  int first;
  int pitch;
  int skew;

  __host__ __device__ PlanarRows(int row_bytes, unsigned src, std::int64_t src_pitch, bool swapped)
      : first(static_cast<int>(src % granule)),
        pitch(granules(row_bytes) * granule +
              static_cast<int>(static_cast<unsigned>(src_pitch) % granule)),
        skew(swapped ? granule : 0) {}

  /// The number of granules that a row may lie in.
  __host__ __device__ static constexpr int granules(int row_bytes) {
    return (row_bytes + 2 * granule - 2) / granule;
  }
  __host__ __device__ int place(int row) const { return first + row * pitch + (row >> 3) * skew; }
};

/// One picture of a batch. Sizes are the source's.
struct PlanarPicture {
  static constexpr unsigned stretches = 128;

  const Byte* src;
  Byte* dst;
  std::int64_t src_pitch;
  std::int64_t dst_pitch;
  std::int64_t plane_pitch;
  std::int64_t width;
  std::int64_t height;
  unsigned tiles_inside;  // tiles of a column where axes are swapped, of a row where they are not
  unsigned runs;          // granules of a tile's row; axes swapped: columns of a tile
  unsigned rows;          // rows of a tile
  bool swapped;
  bool mirrored;
  bool src_aligned;  // to granules: rows, and their ends
  bool dst_aligned;  // to granules: planes, rows, and their ends
};

/// Whether aligned planes have code of their own. Other samples than bytes seldom become bytes, and
/// go the way of planes that are not aligned.
__host__ __device__ constexpr bool planar_has_aligned(int src_sample, int dst_sample) {
  return dst_sample > 1 || src_sample == 1;
}

/// Fills in `p`, and returns its number of tiles. Done by the host, or by the device where the
/// descriptors lie there.
__host__ __device__ inline std::int64_t plan_planar(const PlanarImage& image,
                                                    const PlanarTuning& tuning, int planes,
                                                    int src_sample, int dst_sample,
                                                    PlanarPicture& p) {
  const int pixel = image.src.pixel_bytes;
  const bool mirrors = is_in(from_right, image.orientation);
  p.src = static_cast<const Byte*>(image.src.data);
  p.dst = static_cast<Byte*>(image.dst.data);
  p.src_pitch = image.src.height > 1 ? image.src.pitch : 0;
  p.dst_pitch = image.dst.height > 1 ? image.dst.pitch : 0;
  p.plane_pitch = planes > 1 ? image.dst.plane_pitch : 0;
  p.width = image.src.width;
  p.height = image.src.height;
  p.swapped = is_in(swapped, image.orientation);
  p.mirrored = mirrors && !p.swapped;
  if (p.width == 0 || p.height == 0) return 0;
  if (is_in(from_bottom, image.orientation)) {
    p.src += (image.src.height - 1) * p.src_pitch;
    p.src_pitch = -p.src_pitch;
  }
  if (p.swapped && mirrors) {
    p.dst += (image.dst.height - 1) * p.dst_pitch;
    p.dst_pitch = -p.dst_pitch;
  }
  const auto in_granules = [](const void* data, std::int64_t a, std::int64_t b) {
    return ((reinterpret_cast<std::uintptr_t>(data) | static_cast<std::uintptr_t>(a) |
             static_cast<std::uintptr_t>(b)) %
            granule) == 0;
  };
  p.src_aligned = in_granules(p.src, p.src_pitch, p.width * pixel);
  p.dst_aligned = planar_has_aligned(src_sample, dst_sample) &&
                  in_granules(p.dst, p.dst_pitch, image.dst.width * dst_sample) &&
                  in_granules(nullptr, p.plane_pitch, 0);

  const auto up = [](std::int64_t number, std::int64_t by) { return (number + by - 1) / by; };
  const int tile_width = tuning.width;
  const int run = granule / dst_sample;
  const int bytes = planar_tile_bytes(tuning, pixel, dst_sample);
  if (p.swapped) {
    p.rows = planar_piece / dst_sample;
    p.runs = static_cast<unsigned>(tile_width);
    // Planes without padding are one long line each. There a tile takes whole columns, if enough
    // columns fit to make reading worthwhile.
    const std::int64_t room =
        p.height > p.rows ? (bytes - granule) / p.height - 2 * granule - 1 : 0;
    const std::int64_t most = room / granule * granule / pixel;
    if (!p.dst_aligned && most >= 16) {
      const std::int64_t columns = most < tile_width ? most : tile_width;
      p.rows = static_cast<unsigned>(p.height);
      p.runs = static_cast<unsigned>(up(p.width, up(p.width, columns)));
    }
    p.tiles_inside = static_cast<unsigned>(up(p.height, p.rows));
    return up(p.width, p.runs) * p.tiles_inside;
  }
  // A tile of whole rows has runs for all threads, except for the remainder of a division; so its
  // rows must not be too long. An eighth of the runs is a row at most; there are 8 * tile_width.
  const std::int64_t runs = up(p.width, run);
  const std::int64_t pieces = up(runs, tile_width);
  const std::int64_t of_piece = pieces == 1 ? runs : up(up(runs, pieces), 8) * 8;
  const int of_row = static_cast<int>(of_piece) * run * pixel;
  const int row_bytes =
      p.dst_aligned ? planar_kept_row_bytes(of_row) : PlanarRows(of_row, 0, 15, false).pitch;
  const int room = bytes - planar_margin - granule;
  const std::int64_t rows = 8 * tile_width / of_piece;
  p.runs = static_cast<unsigned>(of_piece);
  p.rows =
      static_cast<unsigned>(rows < room / row_bytes && p.dst_aligned ? rows : room / row_bytes);
  if (!p.dst_aligned) p.rows = static_cast<unsigned>(up(p.height, up(p.height, p.rows)));
  p.tiles_inside = static_cast<unsigned>(up(runs, of_piece));
  return up(p.height, p.rows) * p.tiles_inside;
}

}  // namespace qturn::device
