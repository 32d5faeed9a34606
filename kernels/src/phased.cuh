// Rows that begin anywhere within 16 bytes: they keep that phase in shared memory, so that copies
// into it are aligned, and the destination is written in aligned granules, whole or in part.
#ifndef QTURN_KERNELS_PHASED_CUH
#define QTURN_KERNELS_PHASED_CUH

#include "kernels/src/transpose.cuh"

namespace qturn::device {

/// The low bits of an address, in which all that counts for phases is.
__device__ __forceinline__ unsigned low_bits(const Byte* address) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address));
}

/// A tile whose rows keep their phase, in rows of `row_bytes` of shared memory.
struct PhasedTile {
  unsigned first_phase;  // the low bits of the address of its first row
  unsigned pitch;        // from row to row, likewise

  __device__ __forceinline__ int phase(int row) const {
    return static_cast<int>((first_phase + static_cast<unsigned>(row) * pitch) % granule);
  }
};

/// Starts the copy of a granule of which `bytes_left` bytes may be read, at least one.
template <int prefetch>
__device__ __forceinline__ void start_copy_inside(Byte* shared, const Byte* global,
                                                  int bytes_left) {
  if (bytes_left >= granule) {
    start_copy<prefetch>(shared, global);
  } else {
    start_copy_of_part(shared, global, bytes_left);
  }
}

/// Stores a granule at byte `at` of a row of the destination that has `row_bytes`.
template <int piece>
__device__ __forceinline__ void store_inside(Byte* row, const Granule& value, std::int64_t at,
                                             std::int64_t row_bytes) {
  if (at >= 0 && at + granule <= row_bytes) {
    store_granule(row + at, value);
  } else if (at > -granule && at < row_bytes) {
    const std::int64_t left = row_bytes - at;
    store_part<piece>(row + at, value, at < 0 ? static_cast<int>(-at) : 0,
                      left < granule ? static_cast<int>(left) : granule);
  }
}

}  // namespace qturn::device

#endif  // QTURN_KERNELS_PHASED_CUH
