// How blocks of threads work on blocks of 8 x 8: eight threads each.
#pragma once

#include <cuda_runtime.h>

#include "kernels/jpeg/src/dct.hpp"
#include "kernels/jpeg/src/layout.hpp"

namespace qturn::jpeg {

inline constexpr int block_threads = 256;
inline constexpr std::uint32_t blocks_in_tile = block_threads / block_side;
/// Numbers of a block in shared memory. With eight more than it has, the four blocks of a warp lie
/// in different banks when its threads read columns.
inline constexpr std::uint32_t staged_block = 64 + 8;

struct Zigzag {
  std::uint8_t at[64]{};
};

constexpr Zigzag copied_zigzag() {
  Zigzag copy;
  for (int k = 0; k < 64; ++k) copy.at[k] = zigzag[k];
  return copy;
}

/// Device code cannot look a number up in `zigzag` itself.
static __constant__ Zigzag zigzag_on_device = copied_zigzag();

}  // namespace qturn::jpeg
