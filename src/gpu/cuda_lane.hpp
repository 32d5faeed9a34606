// The buffers and the stream of one picture that is turned on a GPU.
#pragma once

#include <cstddef>
#include <memory>

#include "src/turn/lane.hpp"

namespace qturn {

/// A lane on CUDA device `device`, of whose page-locked memory at most `keep_bytes` stay allocated
/// between images. Throws CudaError; std::logic_error in a build without CUDA.
std::unique_ptr<Lane> make_cuda_lane(int device, std::size_t keep_bytes);

}  // namespace qturn
