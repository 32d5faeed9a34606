// All tuning: for an architecture (the namespace), a use (the function) and a pixel size (its
// argument) the shape of tiles and blocks.
//
// All numbers are from one H200, so they are sm_90's, and other GPUs run with them until somebody
// measures one: an architecture that wants others gets a namespace beside this one, and those who
// ask choose by the device. Unless a table says otherwise its numbers were chosen by runs of some
// 20 candidates each (driver 580.159, CUDA 13.0, 2026-11-21), and the numbers beside the rows are %
// of a copy in those runs: at 8192^2 and 4096^2 for whole lines, at 6000x4000 for ragged rows, at
// 1920x1080 for few tiles; "late" ones are without the early prefetch, "early" ones with it
// (2026-11-22). What they have in common: 2048 threads and 64 to 128 KB of tiles for each
// multiprocessor, pieces of 128 bytes or more on both sides.
#ifndef QTURN_KERNELS_CUDA_TUNING_CUH
#define QTURN_KERNELS_CUDA_TUNING_CUH

#include <cuda_runtime.h>

#include <cstdint>

namespace qturn {

inline namespace sm_90 {

struct TileTuning {
  int row_bytes;   // of the source, in one tile
  int rows;        // of the source, in one tile
  int threads;     // in one block
  int unit_rows;   // rows that one thread turns at once
  int prefetch;    // bytes that the second-level cache is asked to fetch around each read
  int lanes_down;  // threads of a warp along a row of the destination; 0: as many as fit
  bool early;      // the first blocks prefetch their tiles while they wait (launch.cuh)
};

/// The shape of the picture.
enum class Rows {
  whole_lines,  // rows of the source begin at multiples of 256 bytes
  ragged,       // they do not
  few_tiles,    // fewer than fill the GPU
};

constexpr TileTuning tile_tuning(int pixel_bytes, Rows rows) {
  const bool few = rows == Rows::few_tiles;
  const bool ragged = rows == Rows::ragged;
  switch (pixel_bytes) {
    case 1:                                                        // 99, 102; late 97, 98
      return few      ? TileTuning{128, 64, 256, 8, 128, 8, true}  // 82, late 79; 8-byte rows 50
             : ragged ? TileTuning{256, 64, 512, 8, 128, 8, true}  // 92.5, late 91.5
                      : TileTuning{128, 128, 512, 8, 256, 8, true};
    case 2:                                                        // 97.5, 99.5; late 96.5, 97
      return few      ? TileTuning{128, 32, 128, 4, 128, 8, true}  // 110, late 97; larger tile 88
             : ragged ? TileTuning{256, 32, 256, 4, 128, 8, true}  // 95.5; the larger tile 92
                      : TileTuning{128, 64, 256, 4, 256, 8, true};
    case 3:                                                        // 96, 96; early 95.5, 94.5
      return few      ? TileTuning{384, 32, 256, 4, 128, 8, true}  // 87.5, late 83
             : ragged ? TileTuning{384, 64, 512, 4, 128, 8, true}  // 93, late 93
                      : TileTuning{384, 64, 512, 4, 256, 8, false};
    case 4:                                                        // 97.5, 99.5; late 97, 97.5
      return few      ? TileTuning{256, 32, 256, 4, 128, 8, true}  // late 105
             : ragged ? TileTuning{256, 32, 256, 4, 256, 8, true}  // 96.5; as whole lines 95
                      : TileTuning{256, 64, 512, 4, 128, 8, true};
    case 6:                                                      // 96.5, 96.5; late 96, 95
      return few ? TileTuning{384, 64, 512, 8, 128, 0, true}     // 99, late 96
                 : TileTuning{384, 64, 512, 8, 256, 0, true};    // ragged 94, late 93.5
    case 8:                                                      // 97.5, 98; late 97, 97.5, few 99
      return ragged ? TileTuning{512, 32, 512, 2, 256, 8, true}  // 97.5, late 97
                    : TileTuning{256, 32, 256, 2, 128, 8, true};
    case 12:  // 96.5, 97, ragged 96; late 96.5, 96.5, 95.5, few 96.5
      return {384, 16, 192, 4, 256, 0, true};
    case 16:  // 94.5 (in strips; 91.5 without), 97, ragged 96.5, few 97.5; early the same
      return {256, 32, 256, 1, 128, 8, false};
    case 24:  // 97.5, 97.5, ragged 97; late 97.5, 97.5, 97, few 95.5
      return {384, 32, 384, 2, 256, 0, true};
    default:  // 32: 94.5 and 95.5 (in strips; 92 and 91 without), ragged 97, few 98; early the same
      return {256, 16, 128, 1, 128, 8, false};
  }
}

/// For pictures of pixels of 4 bytes and more that are aligned to them only. A tile is
/// `width` pixels of `height` rows, with `before` rows more that it shares with the one above; each
/// lies in `row_bytes`, of which 15 are for its phase.
struct AnyTuning {
  int row_bytes;
  int width;
  int height;
  int before;
  int threads;
  int group_bytes;  // in shared memory, in which granules lie in the same order
  int prefetch;
};

constexpr AnyTuning any_tuning(int pixel_bytes) {
  switch (pixel_bytes) {  // % of a copy at 4095x4093, one pixel into the memory
    case 4:               // 89.5; rows of 256 bytes and 512 threads 83
      return {512, 124, 40, 8, 320, 1024, 128};
    case 6:  // 87; 512 threads 81
      return {384, 60, 48, 6, 384, 2048, 128};
    case 8:  // 91
      return {256, 31, 28, 4, 192, 512, 128};
    case 12:  // 92; 32 rows and 384 threads 88
      return {384, 31, 48, 3, 384, 1024, 128};
    default:  // 24: 92
      return {384, 15, 28, 2, 256, 1024, 128};
  }
}

/// For pixels of 1, 2 and 3 bytes there. A tile is `width` pixels of `rows` rows, of which it
/// shares `before` with the one above; each thread exchanges `units` units.
struct SkewTuning {
  int width;
  int rows;
  int before;
  int threads;
  int units;
  int lanes_down;  // threads of a warp that exchange units below one another
};

constexpr SkewTuning skew_tuning(int pixel_bytes) {
  switch (pixel_bytes) {  // % of a copy at 4095x4093, one pixel into the memory; and other tiles
    case 1:               // 69; 128x192 62, 96x256 63, 256x128 54
      return {112, 192, 32, 384, 2, 8};
    case 2:  // 79; 128x96 75, 128x64 74, 256x64 71
      return {120, 96, 16, 384, 2, 8};
    default:  // 3: 79; 96x76 77, 120x76 with two units 64, 32x140 78
      return {64, 76, 12, 320, 1, 4};
  }
}

/// The logarithm of the number of tiles side by side in a strip that blocks go down together. Two
/// kinds of pictures gain: large pixels in rows that lie multiples of 128 KB apart (above), where
/// blocks that go straight down meet the same channels of the memory again and again, and ragged
/// rows of 1-byte pixels, whose sectors neighbours share (0.4 points).
constexpr unsigned strip_shift(int pixel_bytes, Rows rows, std::int64_t src_pitch) {
  if (pixel_bytes == 1 && rows == Rows::ragged) return 3;
  return (pixel_bytes == 16 || pixel_bytes == 32) && src_pitch % 131072 == 0 ? 6 : 0;
}

/// Pieces of 128 bytes and more where four tiles of them leave room for several blocks.
///
/// Rows of 192 bytes are not filled up to 256 in shared memory, so that four tiles of 3-byte pixels
/// leave room for four blocks instead of three: quarter turns of 4096 x 4096 went from 80.5 to
/// 84.7 % of a copy (with registers for four blocks too; a bound of eight is better by 0.4 for
/// quarter turns and 1.0 for transposes, seen with rows of 256). 6-byte pixels exchanged in
/// registers by 128 threads, instead of gathered by 384, went from 67.3 to 87.8 in transposes and
/// from 75.5 to 87.7 in quarter turns (H200, 2026-11-22).
struct SquareTuning {
  int side;
  int threads;
};

constexpr SquareTuning square_tuning(int pixel) {
  switch (pixel) {
    case 1:
      return {64, 256};
    case 2:
      return {64, 256};
    case 3:
      return {64, 256};
    case 4:
      return {32, 256};
    case 6:
      return {32, 128};
    case 8:
      return {32, 256};
    case 12:
      return {32, 256};
    case 16:
      return {16, 256};
    case 24:
      return {16, 384};
    default:  // 32
      return {8, 256};
  }
}

/// One pixel size's tiles. `aligned` ones are `aligned_row_bytes` x `aligned_rows`. The others
/// are `width` x `rows` pixels in memory, in rows of `row_bytes` (none where they are skewed), of
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

/// Tiles for pixels of so many bytes: their width where axes are swapped, and the threads.
struct PlanarTuning {
  int width;
  int threads;
};

__host__ __device__ constexpr PlanarTuning planar_tuning(int pixel) {
  switch (pixel) {
    case 1:
    case 2:
    case 3:
      return {128, 256};
    case 4:
    case 6:
      return {64, 256};
    case 8:
    case 12:
      return {32, 256};
    default:
      return {16, 128};
  }
}

}  // namespace sm_90

}  // namespace qturn

#endif  // QTURN_KERNELS_CUDA_TUNING_CUH
