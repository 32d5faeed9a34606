#include "src/cuda/owners.hpp"

#include <fmt/format.h>
#include <qturn/cuda.hpp>

#include <string>

namespace qturn {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  const std::string sentence =
      fmt::format("{}: {} ({})", what, cudaGetErrorString(error), cudaGetErrorName(error));
  if (error == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(error, sentence);
  throw CudaError(error, sentence);
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
  return data();
}

}  // namespace qturn
