// The properties of a device that launches depend on. Each device is asked once.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace qturn {

struct DeviceTraits {
  int multiprocessors;
  int resident_threads;   // that one multiprocessor holds
  bool overlaps_kernels;  // a kernel may begin while the one before it in the stream ends
};

/// The calling thread's current device. Throws CudaError when there is none.
const DeviceTraits& current_device();

/// What __CUDA_ARCH__ was in the code of `kernel` that the current device runs, such as 900. It is
/// older than the device where the driver compiled. Each kernel is asked once on each device.
/// Without a device it is 900, so that what makes no sense is refused; then the launch says what is
/// missing.
int compiled_architecture(const void* kernel);

/// Whether the current device overlaps kernels, and `kernel`, as it was compiled, has the code that
/// waits for the one before it (launch.cuh).
bool may_overlap(const void* kernel);

/// The dynamic shared memory that launches may have without asking, of a kernel that declares
/// `declared` bytes besides.
constexpr int shared_without_asking(std::size_t declared) {
  constexpr std::size_t for_both = 48 * 1024;
  return declared < for_both ? static_cast<int>(for_both - declared) : 0;
}
static_assert(shared_without_asking(0) == 48 * 1024 && shared_without_asking(1000) == 48152 &&
              shared_without_asking(48 * 1024) == 0 && shared_without_asking(50000) == 0);

/// Lets launches of `kernel` on the current device have `bytes` of dynamic shared memory. What was
/// allowed before stays allowed, for other threads may be launching.
void allow_dynamic_shared(const void* kernel, int bytes);

/// Throws CudaError(cudaErrorInvalidResourceHandle) for a stream of another device. CUDA 13 would
/// launch there, with memory that it may not reach. With a runtime or a driver before CUDA
/// 12.8, and while the stream is being captured, this cannot be checked.
void require_stream_of_current_device(cudaStream_t stream);

}  // namespace qturn
