// What the kernels' launches depend on, asked of each device once.
#ifndef QTURN_KERNELS_CUDA_DEVICE_HPP
#define QTURN_KERNELS_CUDA_DEVICE_HPP

namespace qturn {

struct CudaDevice {
  int multiprocessors;
  bool overlaps_kernels;  // a kernel may begin while the one before it in the stream ends
};

/// The calling thread's current device. Throws CudaError when there is none.
const CudaDevice& current_device();

}  // namespace qturn

#endif  // QTURN_KERNELS_CUDA_DEVICE_HPP
