// What the kernels of the ladder share that store four floats at once.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace qturn::bench {

/// Stores the first `count` of four floats: at once if all are wanted and `to` is aligned,
/// otherwise one by one.
__device__ inline void store_four(float* to, float4 four, int count) {
  if (count >= 4 && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
    *reinterpret_cast<float4*>(to) = four;
    return;
  }
  to[0] = four.x;
  if (count > 1) to[1] = four.y;
  if (count > 2) to[2] = four.z;
  if (count > 3) to[3] = four.w;
}

}  // namespace qturn::bench
