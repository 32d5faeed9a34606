// What all entry points begin with.
#ifndef QTURN_KERNELS_JPEG_ENQUEUE_HPP
#define QTURN_KERNELS_JPEG_ENQUEUE_HPP

#include <cstddef>

#include "kernels/jpeg/src/plan_parts.hpp"

namespace qturn::jpeg {

/// Throws std::invalid_argument for more pictures than a grid can have.
void check_count(std::size_t count);

/// Throws std::invalid_argument unless it is at a multiple of 256.
void check_workspace(const void* workspace);

/// Copies what has to be, clears what has to be, and reads the coefficients of a batch.
void enqueue_reading(const Batch& batch, const WorkspaceEnds& ends, std::byte* device,
                     const std::byte* host);

}  // namespace qturn::jpeg

#endif  // QTURN_KERNELS_JPEG_ENQUEUE_HPP
