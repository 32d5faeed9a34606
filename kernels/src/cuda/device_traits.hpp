// The properties of a device that launches depend on. Each device is asked once.
#ifndef QTURN_KERNELS_CUDA_DEVICE_TRAITS_HPP
#define QTURN_KERNELS_CUDA_DEVICE_TRAITS_HPP

#include <cuda_runtime_api.h>

namespace qturn {

struct DeviceTraits {
  int multiprocessors;
  int resident_threads;   // that one multiprocessor holds
  bool overlaps_kernels;  // a kernel may begin while the one before it in the stream ends
};

/// The calling thread's current device. Throws CudaError when there is none.
const DeviceTraits& current_device();

/// Whether the current device overlaps kernels, and `kernel`, as it was compiled, has the code that
/// waits for the one before it (launch.cuh). Each kernel is asked once on each device.
bool may_overlap(const void* kernel);

/// Throws CudaError(cudaErrorInvalidResourceHandle) for a stream of another device. CUDA 13 would
/// launch there, with memory that it may not reach. Before CUDA 12.8, and while the stream is being
/// captured, this cannot be checked.
void require_stream_of_current_device(cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_KERNELS_CUDA_DEVICE_TRAITS_HPP
