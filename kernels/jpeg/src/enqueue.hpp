// What all entry points begin with.
#pragma once

#include <cstddef>

#include "kernels/jpeg/src/plan_parts.hpp"

namespace qturn::jpeg {

/// Throws std::invalid_argument for more pictures than a grid can have.
void check_count(std::size_t count);

/// Whether there are pictures. Throws std::invalid_argument for too many of them, and for a
/// workspace that is not at a multiple of 256.
bool has_work(std::size_t count, const void* device_workspace, const void* host_workspace);

/// Copies what must be copied, clears what must be cleared, and makes the tables for reading.
void enqueue_plan(const Batch& batch, const WorkspaceEnds& ends, std::byte* device,
                  const std::byte* host);

/// The same, and reads the coefficients of a batch.
void enqueue_reading(const Batch& batch, const WorkspaceEnds& ends, std::byte* device,
                     const std::byte* host);

}  // namespace qturn::jpeg
