// The ladder: the classic kernels that transpose a matrix of floats, from the naive to ours, each
// with one idea more than the one before. docs/measurements/ladder.md tells the story.
//
// Published versions are right only for multiples of the tile. These are right for every size.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/ladder_tiles.hpp"

namespace qturn::bench {

/// `count` matrices of `height` rows of `width` floats in device memory, without gaps between rows;
/// each begins `spacing` floats after the one before. So do the results, which have as many floats.
struct Matrices {
  const float* in;
  float* out;
  std::int64_t width;
  std::int64_t height;
  std::int64_t count;
  std::int64_t spacing;
};

enum class Makes {
  copy,
  transpose,
  transpose_in_place,  ///< of `out`, a square; `in` is not read
};

struct Rung {
  std::string name;
  std::string than;  ///< the rung to compare it with, which lacks its idea
  Makes makes;
  /// Enqueues the work and returns. Throws std::invalid_argument if a side is longer than 2^31 -
  /// 64. Empty if this machine lacks what it needs.
  std::function<void(const Matrices&, cudaStream_t)> enqueue;
  /// Nothing if no shared memory is used, or if it is not known.
  std::optional<BankConflicts> conflicts = {};
  bool many = false;         ///< does all `count` matrices; the others only the first one
  std::string missing = {};  ///< what was not found
  bool by_fours = false;     ///< only sides that are multiples of four, at aligned addresses

  /// Whether it supports matrices of this size, `offset` floats after an aligned address: in place
  /// only squares; many at a time only up to the 65,535 x 32 rows of one grid.
  bool takes(std::int64_t width, std::int64_t height, std::int64_t offset = 0) const {
    if (by_fours && (width % 4 != 0 || height % 4 != 0 || offset % 4 != 0)) return false;
    if (makes == Makes::transpose_in_place) return width == height;
    return !many || height <= std::int64_t{65535} * 32;
  }
};

/// The kernels of ladder_kernels.cu, from plain to fast.
std::vector<Rung> classic_rungs();

/// The kernels of ladder_async.cu, which lead from there to ours.
std::vector<Rung> asynchronous_rungs();

/// Throws std::invalid_argument for a matrix with a longer side than a rung takes.
void check_sides(const Matrices& m);

/// All rungs: the ladder's, cuBLAS if it is found, and ours.
std::vector<Rung> ladder();

}  // namespace qturn::bench
