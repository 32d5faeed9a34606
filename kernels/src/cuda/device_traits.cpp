#include "kernels/src/cuda/device_traits.hpp"

#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "kernels/src/cuda/check.hpp"

namespace qturn {
namespace {

DeviceTraits ask(int device) {
  DeviceTraits traits{};
  int major = 0;
  check(cudaDeviceGetAttribute(&traits.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  check(cudaDeviceGetAttribute(&traits.resident_threads, cudaDevAttrMaxThreadsPerMultiProcessor,
                               device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  traits.overlaps_kernels = major >= 9;
  return traits;
}

std::vector<DeviceTraits> ask_all() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  std::vector<DeviceTraits> devices;
  for (int device = 0; device < count; ++device) devices.push_back(ask(device));
  return devices;
}

const std::vector<DeviceTraits>& all_devices() {
  // If this throws, the next call asks again.
  static const std::vector<DeviceTraits> devices = ask_all();
  return devices;
}

int current_number() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device;
}

}  // namespace

const DeviceTraits& current_device() {
  return all_devices()[static_cast<std::size_t>(current_number())];
}

bool may_overlap(const void* kernel) {
  // A device that overlaps kernels may run code for an older device, from which the driver made its
  // own. That code does not wait. Launched with overlap, it would read what the kernel before it
  // still writes.
  const auto number = static_cast<std::size_t>(current_number());
  if (!all_devices()[number].overlaps_kernels) return false;

  static std::vector<std::unordered_map<const void*, bool>> known(all_devices().size());
  static std::shared_mutex mutex;
  {
    const std::shared_lock lock(mutex);
    const auto found = known[number].find(kernel);
    if (found != known[number].end()) return found->second;
  }
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel));
  // What __CUDA_ARCH__ was, divided by 10. binaryVersion is the device's where the driver compiled.
  const bool waits = attributes.ptxVersion >= 90;
  const std::unique_lock lock(mutex);
  known[number].emplace(kernel, waits);
  return waits;
}

void require_stream_of_current_device([[maybe_unused]] cudaStream_t stream) {
#if CUDART_VERSION >= 12080
  if (all_devices().size() == 1) return;
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone) return;
  int device = 0;
  const cudaError_t answer = cudaStreamGetDevice(stream, &device);
  if (answer == cudaErrorCallRequiresNewerDriver) {
    cudaGetLastError();
    return;
  }
  check(answer);
  if (device != current_number()) check(cudaErrorInvalidResourceHandle);
#endif
}

}  // namespace qturn
