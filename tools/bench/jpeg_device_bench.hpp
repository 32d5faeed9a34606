// JPEGs turned losslessly in device memory: no files, nothing that crosses the bus.
#pragma once

#include <qturn/orientation.hpp>

#include <span>

#include "src/picture/bytes.hpp"

namespace qturn::bench {

/// Prints the time of each stage for batches of several sizes, and the rate at which one stream and
/// several turn batches. Uses the `photographs` that a GPU can turn. Throws std::runtime_error,
/// CudaError.
void measure_jpeg_on_device(std::span<const Bytes> photographs, Orientation orientation,
                            int device);

}  // namespace qturn::bench
