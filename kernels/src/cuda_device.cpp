#include "kernels/src/cuda_device.hpp"

#include <cstddef>
#include <vector>

#include "kernels/src/cuda_check.hpp"

namespace qturn {
namespace {

DeviceTraits ask(int device) {
  int multiprocessors = 0;
  int major = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return {multiprocessors, major >= 9};
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
