// The ladder: the classic kernels that transpose a matrix of floats, from the naive to ours, each
// with one idea more than the one before. docs/ladder.md tells the story.
//
// Versions in circulation hold for multiples of the tile alone. These hold for every size.
#ifndef QTURN_TOOLS_BENCH_LADDER_HPP
#define QTURN_TOOLS_BENCH_LADDER_HPP

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
  std::string than;  ///< the rung to compare it with: the one that lacks its idea
  Makes makes;
  /// Enqueues the work and returns. Throws std::invalid_argument when a side is longer than
  /// 2^31 - 32. Empty when what it takes is not on this machine.
  std::function<void(const Matrices&, cudaStream_t)> enqueue;
  /// Nothing where no shared memory is used, or it is not ours to know.
  std::optional<BankConflicts> conflicts = {};
  bool many = false;         ///< does all `count` matrices; the others the first one only
  std::string missing = {};  ///< what was not found

  /// Whether matrices of this size are its business: in place it is squares only, and many at a
  /// time have no more than the 65,535 x 32 rows of one grid.
  bool takes(std::int64_t width, std::int64_t height) const {
    if (makes == Makes::transpose_in_place) return width == height;
    return !many || height <= std::int64_t{65535} * 32;
  }
};

/// The kernels of ladder_kernels.cu, from plain to fast.
std::vector<Rung> classic_rungs();

/// Those, cuBLAS if it is found, and ours.
std::vector<Rung> ladder();

}  // namespace qturn::bench

#endif  // QTURN_TOOLS_BENCH_LADDER_HPP
