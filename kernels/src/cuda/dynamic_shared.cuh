// Shared memory whose size is known at the launch, or is more than the 48 KB that a kernel may
// have without asking.
#pragma once

#include "kernels/src/cuda/device_memory.cuh"
#include "kernels/src/cuda/device_traits.hpp"

namespace qturn::device {

extern __shared__ uint4 dynamic_shared_memory[];

/// Aligned to a granule.
__device__ __forceinline__ Byte* dynamic_shared() {
  return reinterpret_cast<Byte*>(dynamic_shared_memory);
}

/// Must come before a launch of `kernel` with so many bytes of it.
template <class Kernel>
void allow_dynamic_shared(Kernel* kernel, int bytes) {
  qturn::allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
}

}  // namespace qturn::device
