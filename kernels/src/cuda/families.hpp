// The families of kernels, each compiled from a file of its own. They enqueue a motion of a picture
// that is not empty, if they can: a family that is not made for this pixel size or alignment
// returns false and enqueues nothing.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/src/reduced.hpp"

namespace qturn {

bool transpose_thin_units(const Reduced& reduced, cudaStream_t stream);

/// `alignment` is alignment_of(reduced).
bool transpose_thin(const Reduced& reduced, int alignment, cudaStream_t stream);
bool transpose_tiles(const Reduced& reduced, cudaStream_t stream);
bool transpose_any(const Reduced& reduced, int alignment, cudaStream_t stream);

/// Any pixel size and alignment.
void transpose_words(const Reduced& reduced, int alignment, cudaStream_t stream);

/// Mirrors `rows` packed rows of `columns` pixels, each by itself.
bool mirror_thin_units(const void* src, void* dst, std::int64_t columns, int pixel,
                       std::int64_t rows, cudaStream_t stream);

/// Copies and mirrors: any pixel size and alignment.
void move_rows(const Reduced& reduced, cudaStream_t stream);

}  // namespace qturn
