// All tuning: for an architecture (the struct), a use (the member) and a pixel size (its argument)
// the shape of tiles and blocks.
//
// A kernel takes the table of the architecture that it is compiled for (device::Tuning). The host
// asks the kernel which that is, and plans with the same table (tuning_of() in launch.cuh). So
// a table may be changed without a look at the others.
//
// All numbers are from one H200. Unless a table says otherwise they were chosen by runs of some 20
// candidates each (driver 580.159, CUDA 13.0, 2026-11-21), and the numbers beside the rows are % of
// a copy in those runs: at 8192^2 and 4096^2 for whole lines, at 6000x4000 for ragged rows, at
// 1920x1080 for few tiles; "late" ones are without the early prefetch, "early" ones with it
// (2026-11-22). What they have in common: 2048 threads and 64 to 128 KB of tiles for each
// multiprocessor, pieces of 128 bytes or more on both sides.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace qturn {

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

/// For pictures that are aligned to their pixels only. A tile is `width` pixels of `rows` rows; it
/// shares the first `before` rows with the tile above. Each row has room for `row_granules`.
struct AnyTuning {
  int row_granules;
  int width;
  int rows;
  int before;
  int threads;
  int group_bytes;  // pixels that are gathered: in which granules lie in the same order
  // Pixels of 1, 2 and 3 bytes, which are exchanged in registers.
  int units = 0;             // that one thread exchanges
  int lanes_down = 0;        // threads of a warp that exchange units below one another
  int columns_together = 0;  // divides the columns that are stored at once

  __host__ __device__ constexpr bool exchanges() const { return units != 0; }
};

/// Tiles of pictures that are turned in place: `side` x `side` pixels.
struct SquareTuning {
  int side;
  int threads;
};

/// One pixel size's tiles in a batch. `aligned` ones are `aligned_row_bytes` x `aligned_rows`; the
/// others have as many threads.
struct BatchTuning {
  int threads;
  int aligned_row_bytes;
  int aligned_rows;
  AnyTuning any;
};

/// Tiles that become planar: their width where axes are swapped, and the threads.
struct PlanarTuning {
  int width;
  int threads;
};

/// Threads of the kernels whose work is not cut into tiles, and what a block of thin pictures has.
struct LineTuning {
  int row_threads;        // copies and mirrors; in place they have as many
  int thin_threads;       // few rows or columns, of any number and pixel
  int thin_work_bytes;    // of one block, about
  int thin_tile_bytes;    // in shared memory: a granule more for each of the most lines
  int thin_unit_threads;  // two to four rows or columns; see thin_units.cu
};

/// The entropy coder of JPEGs.
struct JpegTuning {
  int resident_tiles;         // of 256 blocks that are encoded, on a multiprocessor
  std::uint32_t slot_words;   // of a block; what has more is encoded twice
  std::uint32_t most_staged;  // words of a tile's string in shared memory
  int resident_groups;        // of 256 subsequences that are synchronised, on a multiprocessor
};

struct Sm90 {
  __host__ __device__ static constexpr TileTuning tile(int pixel_bytes, Rows rows) {
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
      case 6:                                                    // 96.5, 96.5; late 96, 95
        return few ? TileTuning{384, 64, 512, 8, 128, 0, true}   // 99, late 96
                   : TileTuning{384, 64, 512, 8, 256, 0, true};  // ragged 94, late 93.5
      case 8:                                                    // 97.5, 98; late 97, 97.5, few 99
        return ragged ? TileTuning{512, 32, 512, 2, 256, 8, true}  // 97.5, late 97
                      : TileTuning{256, 32, 256, 2, 128, 8, true};
      case 12:  // 96.5, 97, ragged 96; late 96.5, 96.5, 95.5, few 96.5
        return {384, 16, 192, 4, 256, 0, true};
      case 16:  // 94.5 (in strips; 91.5 without), 97, ragged 96.5, few 97.5; early the same
        return {256, 32, 256, 1, 128, 8, false};
      case 24:  // 97.5, 97.5, ragged 97; late 97.5, 97.5, 97, few 95.5
        return {384, 32, 384, 2, 256, 0, true};
      default:  // 32: 94.5 and 95.5 (in strips; 92 and 91 without), ragged 97, few 98; early the
                // same
        return {256, 16, 128, 1, 128, 8, false};
    }
  }

  __host__ __device__ static constexpr AnyTuning any(int pixel_bytes) {
    switch (pixel_bytes) {  // % of a copy at 4095x4093, one pixel into the memory; and other tiles
      case 1:               // 69; 128x192 62, 96x256 63, 256x128 54
        return {8, 112, 192, 32, 384, 0, 2, 8, 1};
      case 2:  // 79; 128x96 75, 128x64 74, 256x64 71
        return {16, 120, 96, 16, 384, 0, 2, 8, 1};
      case 3:  // 79; 96x76 77, 120x76 with two units 64, 32x140 78
        return {13, 64, 76, 12, 320, 0, 1, 4, 1};
      case 4:  // 89.5; rows of 256 bytes and 512 threads 83
        return {32, 124, 48, 8, 320, 1024};
      case 6:  // 87; 512 threads 81
        return {24, 60, 54, 6, 384, 2048};
      case 8:  // 91
        return {16, 31, 32, 4, 192, 512};
      case 12:  // 92; 32 rows and 384 threads 88
        return {24, 31, 51, 3, 384, 1024};
      default:  // 24: 92
        return {24, 15, 30, 2, 256, 1024};
    }
  }

  /// The logarithm of the number of tiles side by side in a strip that blocks go down together. Two
  /// kinds of pictures gain: large pixels in rows that lie multiples of 128 KB apart (above), where
  /// blocks that go straight down meet the same channels of the memory again and again, and ragged
  /// rows of 1-byte pixels, whose sectors neighbours share (0.4 points).
  static constexpr unsigned strip_shift(int pixel_bytes, Rows rows, std::int64_t src_pitch) {
    if (pixel_bytes == 1 && rows == Rows::ragged) return 3;
    return (pixel_bytes == 16 || pixel_bytes == 32) && src_pitch % 131072 == 0 ? 6 : 0;
  }

  /// Pieces of 128 bytes and more where four tiles of them leave room for several blocks.
  ///
  /// Rows of 192 bytes are not filled up to 256 in shared memory, so that four tiles of 3-byte
  /// pixels leave room for four blocks instead of three: quarter turns of 4096 x 4096 went
  /// from 80.5 to 84.7 % of a copy (with registers for four blocks too; a bound of eight is better
  /// by 0.4 for quarter turns and 1.0 for transposes, seen with rows of 256). 6-byte pixels
  /// exchanged in registers by 128 threads, instead of gathered by 384, went from 67.3 to 87.8 in
  /// transposes and from 75.5 to 87.7 in quarter turns (H200, 2026-11-22).
  __host__ __device__ static constexpr SquareTuning square(int pixel) {
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

  /// For any alignment: stored granules begin at multiples of 32, at another pixel in each row of
  /// the destination, so that no two blocks write to one sector.
  __host__ __device__ static constexpr BatchTuning batch(int pixel) {
    switch (pixel) {
      case 1:
        return {512, 128, 128, {8, 96, 160, 32, 512, 0, 1, 4, 8}};
      case 2:
        return {512, 256, 64, {8, 56, 128, 16, 512, 0, 1, 8, 8}};
      case 3:
        return {512, 384, 64, {16, 80, 76, 12, 512, 0, 1, 8, 8}};
      case 4:
        return {256, 256, 32, {16, 60, 64, 8, 256, 512}};
      case 6:
        return {384, 384, 32, any(6)};
      case 8:
        return {256, 256, 32, any(8)};
      case 12:
        return {384, 384, 32, any(12)};
      case 16:
        return {128, 256, 16, {}};
      case 24:
        return {192, 384, 16, any(24)};
      case 32:
        return {128, 256, 16, {}};
      default:
        return {256, 0, 0, {}};
    }
  }

  /// The same in blocks of other sizes: 4-byte chroma beside 2-byte luma, and batches in memory.
  __host__ __device__ static constexpr BatchTuning batch(int pixel, int threads) {
    if (pixel == 4 && threads == 512) return {512, 256, 64, any(4)};
    if (pixel == 1 && threads == 256) return {256, 128, 64, {8, 112, 128, 32, 256, 0, 2, 8, 1}};
    if (pixel == 3 && threads == 256) return {256, 384, 32, {13, 64, 76, 12, 256, 0, 2, 8, 8}};
    return batch(pixel);
  }

  /// For pictures in memory. 1024 threads fit on a multiprocessor; as four blocks they wait
  /// for each other less than as two. In % of a copy with two and with four, all orientations of
  /// 256 of 224x224, and 64 of random sizes, tight: 1 byte 52.3, 54.4 and 45.3, 53.8; 3 bytes 61.6,
  /// 64.2 and 51.0, 57.9 (H200, 2026-11-26).
  __host__ __device__ static constexpr BatchTuning batch_in_memory(int pixel) {
    return pixel == 1 || pixel == 3 ? batch(pixel, 256) : batch(pixel);
  }

  __host__ __device__ static constexpr PlanarTuning planar(int pixel) {
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

  static constexpr LineTuning lines{256, 256, 8 * 1024, 9 * 1024, 256};
  static constexpr JpegTuning jpeg{5, 10, 2048, 6};
};

/// As sm_90, not measured. What is measured replaces a member.
struct Sm80 : Sm90 {};
struct Sm100 : Sm90 {};
struct Sm120 : Sm90 {};

/// The table of code that is compiled for this architecture, which is what __CUDA_ARCH__ is there.
template <int architecture>
using TuningOf =
    std::conditional_t<(architecture >= 1200), Sm120,
                       std::conditional_t<(architecture >= 1000), Sm100,
                                          std::conditional_t<(architecture >= 900), Sm90, Sm80>>>;

/// Calls `run(table)` with it.
template <class Run>
decltype(auto) with_tuning(int architecture, Run run) {
  if (architecture >= 1200) return run(TuningOf<1200>());
  if (architecture >= 1000) return run(TuningOf<1000>());
  return architecture >= 900 ? run(TuningOf<900>()) : run(TuningOf<800>());
}

namespace device {

/// The table for what is compiled now; the host compiles no device code, but needs a name.
#ifdef __CUDA_ARCH__
using Tuning = TuningOf<__CUDA_ARCH__>;
#else
using Tuning = TuningOf<900>;
#endif

}  // namespace device

}  // namespace qturn
