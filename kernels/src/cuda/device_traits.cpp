#include "kernels/src/cuda/device_traits.hpp"

#include <qturn/cuda.hpp>

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

/// Asking for a kernel loads it. What loads may allocate, and that ends a capture of another thread
/// in CUDA's global mode, unless this thread says that it knows what it does. No capture depends on
/// it.
class RelaxedCapture {
 public:
  RelaxedCapture() { check(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // and then the thread's own
};

/// What is known of a kernel on a device.
struct KernelTraits {
  int architecture;
  int shared_bytes;  // of the dynamic kind, that its launches may have
};

/// Each kernel is asked once on each device, and asks for memory only if it has not enough.
class KnownKernels {
 public:
  KernelTraits of(const void* kernel) {
    const auto number = static_cast<std::size_t>(current_number());
    {
      const std::shared_lock lock(mutex_);
      const auto found = known_[number].find(kernel);
      if (found != known_[number].end()) return found->second;
    }
    const RelaxedCapture relaxed;
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, kernel));
    // binaryVersion is the device's where the driver compiled.
    const KernelTraits asked{10 * attributes.ptxVersion,
                             shared_without_asking(attributes.sharedSizeBytes)};
    const std::unique_lock lock(mutex_);
    return known_[number].emplace(kernel, asked).first->second;
  }

  /// of() has been asked before.
  void allow(const void* kernel, int shared_bytes) {
    const auto number = static_cast<std::size_t>(current_number());
    const std::unique_lock lock(mutex_);
    KernelTraits& known = known_[number].at(kernel);
    if (known.shared_bytes >= shared_bytes) return;
    const RelaxedCapture relaxed;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    known.shared_bytes = shared_bytes;
  }

 private:
  using OfDevice = std::unordered_map<const void*, KernelTraits>;

  std::vector<OfDevice> known_ = std::vector<OfDevice>(all_devices().size());
  std::shared_mutex mutex_;
};

KnownKernels& known_kernels() {
  static KnownKernels kernels;
  return kernels;
}

/// cuStreamGetDevice(), whose results have the numbers of the runtime's.
using StreamGetDevice = cudaError_t (*)(cudaStream_t stream, int* device);

/// CUDA 12.8 brought it. What is built with that or later also links with the runtime of CUDA 12.4,
/// which has no such function: then it is null, as it is with an older driver.
StreamGetDevice stream_get_device() {
  void* function = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // what replaces it came with CUDA 12.5
  cudaGetDriverEntryPoint("cuStreamGetDevice", &function, cudaEnableDefault);
#pragma GCC diagnostic pop
  cudaGetLastError();
  return reinterpret_cast<StreamGetDevice>(function);
}

}  // namespace

const DeviceTraits& current_device() {
  return all_devices()[static_cast<std::size_t>(current_number())];
}

int compiled_architecture(const void* kernel) try {
  return known_kernels().of(kernel).architecture;
} catch (const CudaError&) {
  int count = 0;
  constexpr int measured = 900;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return measured;
  throw;
}

bool may_overlap(const void* kernel) {
  // A device that overlaps kernels may run code for an older device, from which the driver made its
  // own. That code does not wait. Launched with overlap, it would read what the kernel before it
  // still writes.
  return current_device().overlaps_kernels && compiled_architecture(kernel) >= 900;
}

void allow_dynamic_shared(const void* kernel, int bytes) {
  if (known_kernels().of(kernel).shared_bytes < bytes) known_kernels().allow(kernel, bytes);
}

void require_stream_of_current_device(cudaStream_t stream) {
  if (all_devices().size() == 1) return;
  static const StreamGetDevice get_device = stream_get_device();
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status));
  if (get_device == nullptr || status != cudaStreamCaptureStatusNone) return;
  int device = 0;
  check(get_device(stream, &device));
  if (device != current_number()) check(cudaErrorInvalidResourceHandle);
}

}  // namespace qturn
