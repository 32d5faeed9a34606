// How fast the hardware engines decode and do nothing else: the bound for turning JPEGs on a GPU.
#ifndef QTURN_SRC_NVJPEG_DECODE_RATE_HPP
#define QTURN_SRC_NVJPEG_DECODE_RATE_HPP

#include <span>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {

/// Pictures per second that `devices` together decode to planes in device memory, in batches of
/// `batch`, from `states` threads per device, over `seconds`. Uses those of `files` that need not
/// be turned on the CPU. 0 if there are none, or if there is no nvJPEG with hardware engines.
/// Throws CudaError.
double nvjpeg_decode_rate(const std::vector<int>& devices, std::span<const Bytes> files,
                          std::size_t batch, int states, double seconds);

}  // namespace qturn

#endif  // QTURN_SRC_NVJPEG_DECODE_RATE_HPP
