// CUDA's errors as exceptions, and what it makes as owners, for lanes and for nvJPEG.
#ifndef QTURN_SRC_CUDA_OWNERS_HPP
#define QTURN_SRC_CUDA_OWNERS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>

namespace qturn {

/// Throws CudaError; `what` says what for.
void check(cudaError_t error, const char* what);

/// A stream of the device that is current when it is made.
class CudaStream {
 public:
  CudaStream();
  ~CudaStream() { cudaStreamDestroy(stream_); }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;

  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Device memory that grows to the most it was asked for.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  /// What it held is lost if it has to grow.
  std::byte* reserve(std::size_t bytes);

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_CUDA_OWNERS_HPP
