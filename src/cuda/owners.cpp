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

void use_device(int device) {
  check(cudaSetDevice(device), "the device");
  // If it is refused, only time is lost.
  if (cudaSetDeviceFlags(cudaDeviceScheduleYield) != cudaSuccess) cudaGetLastError();
}

std::byte* allocate_page_locked(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable), "page-locked memory");
  return static_cast<std::byte*>(memory);
}

std::byte* PageLockedBuffer::reserve(std::size_t bytes) {
  if (bytes > bytes_) {
    data_.reset();
    bytes_ = 0;
    data_.reset(allocate_page_locked(bytes));
    bytes_ = bytes;
  }
  return data_.get();
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
