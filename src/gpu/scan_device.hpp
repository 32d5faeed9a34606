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
  /// false: the data comes back unchanged, to measure the time of all other work. Only lossless
  /// turns are possible then.
  bool runs_kernels = true;
};

/// The memory that a request takes on a device. Throws std::invalid_argument if a device does not
/// take it: more than 2^28 bytes of data, a header that makes no sense there.
std::uint64_t device_bytes(const JpegRequest& request);

/// Makes one JpegDevice of all `devices`, which start in the background. It does not take a JPEG
/// that is damaged or for which a device has no memory. `spare` gives memory if there is no more
/// page-locked memory, and must outlive it. It must outlive what memory() returns.
std::unique_ptr<JpegDevice> make_scan_device(const std::vector<int>& devices,
                                             const ScanDeviceLimits& limits, SpareBytes& spare,
                                             const std::atomic<bool>& stop);

}  // namespace qturn
