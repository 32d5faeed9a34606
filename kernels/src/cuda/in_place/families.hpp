// The two families of kernels that turn a picture within its own memory, each compiled from a file
// of its own. Pictures are not empty.
#pragma once

#include <cuda_runtime_api.h>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

namespace qturn {

/// `orientation` is flop, flip or rotate180.
void mirror_in_place(View view, Orientation orientation, cudaStream_t stream);

/// Transposes a square picture or, if `quarter`, turns it clockwise.
void turn_square_in_place(View view, bool quarter, cudaStream_t stream);

}  // namespace qturn
