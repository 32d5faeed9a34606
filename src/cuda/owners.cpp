#include "src/cuda/owners.hpp"

#include <qturn/cuda.hpp>

namespace qturn {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw CudaError(error, what);
}

CudaStream::CudaStream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
}

std::byte* DeviceBuffer::reserve(std::size_t bytes) {
  if (bytes > bytes_) {
    check(cudaFree(data_), "device memory");
    data_ = nullptr;
    bytes_ = 0;
    check(cudaMalloc(&data_, bytes), "device memory");
    bytes_ = bytes;
  }
  return static_cast<std::byte*>(data_);
}

}  // namespace qturn
