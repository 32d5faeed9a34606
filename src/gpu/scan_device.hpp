// JPEGs turned on GPUs by qturn::jpeg, losslessly or by their planes, many at a time. Only the
// entropy-coded data crosses the bus; headers are the CPU's work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/picture/file_bytes.hpp"

namespace qturn {

/// How many requests one device wants at a time. With more a run takes longer, with fewer batches
/// are too small (docs/measurements/jpeg-h200.md).
inline constexpr std::size_t scan_requests_per_device = 48;

struct ScanDeviceLimits {
  std::uint64_t page_locked_bytes = 0;  ///< for all files and results together
  /// Without kernels the data comes back as it went, and what is left is the time of all else. Only
  /// lossless turns are possible then.
  bool runs_kernels = true;
};

/// The memory that a request takes on a device. Throws std::invalid_argument for what a device does
/// not take: more than 2^28 bytes of data, a header that makes no sense there.
std::uint64_t device_bytes(const JpegRequest& request);

/// All of `devices` together. They start in the background. What is damaged, or finds no memory on
/// a device, is not taken. `spare` has memory where there is no more of the page-locked kind, and
/// must outlive them. What memory() returns must not outlive them.
std::unique_ptr<JpegDevice> make_scan_device(const std::vector<int>& devices,
                                             const ScanDeviceLimits& limits, SpareBytes& spare,
                                             const std::atomic<bool>& stop);

}  // namespace qturn
