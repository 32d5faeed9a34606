// The numbers behind the transposing kernels, a row for each pixel size that has code of its own.
//
// Chosen by runs on one H200 (driver 580, CUDA 13.0, 2026-11). What they have in common: 2048
// threads and about 64 KB of tiles for each multiprocessor, pieces of 128 bytes or more on both
// sides. Less in flight starves the memory, twice as much loses 2 %.
#ifndef QTURN_KERNELS_TUNING_HPP
#define QTURN_KERNELS_TUNING_HPP

#include <cstdint>

namespace qturn {

struct TileTuning {
  int row_bytes;   // of the source, in one tile
  int rows;        // of the source, in one tile
  int threads;     // in one block
  int unit_rows;   // rows that one thread turns at once
  int prefetch;    // bytes that the second-level cache is asked to fetch around each read
  int lanes_down;  // threads of a warp along a row of the destination; 0: as many as fit
};

/// `small` where the picture has fewer tiles than fill the GPU four times.
constexpr TileTuning tile_tuning(int pixel_bytes, bool small) {
  switch (pixel_bytes) {
    case 1:  // 96 % of a copy at 8192^2; the small one 95 % at 4096^2, where the large one has 92
      return small ? TileTuning{128, 64, 256, 8, 128, 8} : TileTuning{128, 128, 512, 8, 256, 8};
    case 2:  // 96 %
      return {256, 64, 512, 4, 128, 8};
    case 3:  // 96 %, 95 %
      return small ? TileTuning{384, 32, 256, 4, 256, 8} : TileTuning{384, 64, 512, 4, 256, 8};
    case 4:  // 97.5 %
      return {256, 64, 512, 4, 128, 8};
    case 6:  // 96.5 %
      return {384, 32, 384, 4, 256, 0};
    case 8:  // 97 %
      return {256, 32, 256, 2, 128, 8};
    case 12:  // 97 %
      return {384, 32, 384, 4, 256, 0};
    case 16:  // 97 %
      return {256, 16, 128, 1, 0, 8};
    case 24:
      return {384, 16, 192, 1, 256, 0};
    default:  // 32
      return {256, 16, 128, 1, 128, 8};
  }
}

/// For pictures aligned to their pixels only. A tile is `width` pixels of `height` rows, with
/// `before` rows more that it shares with the one above; each lies in `row_bytes`, of which 15 are
/// for its phase.
struct AnyTuning {
  int row_bytes;
  int width;
  int height;
  int before;
  int threads;
  int group_rows;  // rows whose granules lie in the same order
  int prefetch;
};

constexpr AnyTuning any_tuning(int pixel_bytes) {
  switch (pixel_bytes) {
    case 1:
      return {128, 112, 96, 32, 448, 8, 128};
    case 2:
      return {128, 56, 112, 16, 512, 4, 128};
    case 3:
      return {256, 80, 64, 12, 480, 4, 128};
    case 4:
      return {256, 60, 56, 8, 512, 4, 128};
    case 6:
      return {384, 60, 32, 6, 384, 4, 128};
    case 8:
      return {256, 31, 28, 4, 256, 2, 128};
    case 12:
      return {384, 31, 32, 3, 384, 4, 128};
    default:  // 24
      return {384, 15, 16, 2, 192, 1, 128};
  }
}

/// The logarithm of the number of tiles side by side in a strip that blocks go down together. Only
/// 16-byte pixels in rows of 128 KB gain: 94.7 % of a copy instead of 91.7.
constexpr unsigned strip_shift(int pixel_bytes, std::int64_t src_pitch) {
  const bool long_rows = src_pitch >= 100'000 || src_pitch <= -100'000;
  return pixel_bytes >= 16 && long_rows ? 6 : 0;
}

}  // namespace qturn

#endif  // QTURN_KERNELS_TUNING_HPP
