// JPEGs turned on GPUs from end to end: nvJPEG's hardware engines decode them in batches, the
// kernels turn their planes in one launch, nvJPEG encodes them. Only compressed bytes cross the
// bus.
#ifndef QTURN_SRC_NVJPEG_DEVICE_HPP
#define QTURN_SRC_NVJPEG_DEVICE_HPP

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/picture/spare_bytes.hpp"

namespace qturn {

/// What a device has for JPEGs.
struct NvJpegStatus {
  std::string version;   ///< of nvJPEG, "13.0.1"; empty: there is none
  unsigned engines = 0;  ///< that decode in hardware
  std::string problem;   ///< why it turns no JPEGs; empty if it does
};

/// Of CUDA device `device`. Takes a few hundred milliseconds; never throws for what is missing.
NvJpegStatus nvjpeg_status(int device);

/// How many requests one device wants at a time.
inline constexpr std::size_t nvjpeg_requests_per_device = 384;

/// All of `devices` that have nvJPEG's hardware engines, together; null if there is no nvJPEG. They
/// start in the background. `spare` must outlive them.
std::unique_ptr<JpegDevice> make_nvjpeg_device(const std::vector<int>& devices, SpareBytes& spare,
                                               const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_NVJPEG_DEVICE_HPP
