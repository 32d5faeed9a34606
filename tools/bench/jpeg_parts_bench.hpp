// JPEGs decoded, and turned by planes, in device memory, beside nvJPEG.
#pragma once

#include <qturn/orientation.hpp>

#include <span>

#include "src/picture/bytes.hpp"

namespace qturn::bench {

/// Prints the median time in which batches of several sizes are decoded to coefficients, samples
/// and RGB, and turned by planes, and the rate at which nvJPEG decodes the same pictures. Uses the
/// `photographs` that a GPU can turn. Throws std::runtime_error, CudaError.
void measure_jpeg_parts(std::span<const Bytes> photographs, Orientation orientation, int device);

}  // namespace qturn::bench
