// What the kernels' launches depend on, asked of each device once.
#ifndef QTURN_KERNELS_CUDA_DEVICE_HPP
#define QTURN_KERNELS_CUDA_DEVICE_HPP

#include <cuda_runtime_api.h>

namespace qturn {

struct DeviceTraits {
  int multiprocessors;
  bool overlaps_kernels;  // a kernel may begin while the one before it in the stream ends
};

/// The calling thread's current device. Throws CudaError when there is none.
const DeviceTraits& current_device();

/// Throws CudaError(cudaErrorInvalidResourceHandle) for a stream of another device. CUDA 13 would
/// launch there, with memory that it may not reach. Before CUDA 12.8, and while the stream is being
/// captured, nobody can tell.
void require_stream_of_current_device(cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_KERNELS_CUDA_DEVICE_HPP
