#include "src/gpu/owners.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <qturn/cuda.hpp>

#include <cstdlib>
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

std::unique_ptr<std::byte, FreePageLockedBlock> allocate_page_locked_block(std::size_t bytes) {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* const memory =
      std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page);
  if (!memory) check(cudaErrorMemoryAllocation, "page-locked memory");
  madvise(memory, bytes, MADV_HUGEPAGE);  // if it is refused, only time is lost
  try {
    check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable), "page-locked memory");
  } catch (...) {
    std::free(memory);
    throw;
  }
  return std::unique_ptr<std::byte, FreePageLockedBlock>(static_cast<std::byte*>(memory));
}

void FreePageLockedBlock::operator()(std::byte* memory) const {
  cudaHostUnregister(memory);
  std::free(memory);
}

CudaEvent::CudaEvent() {
  check(cudaEventCreateWithFlags(&event_, cudaEventBlockingSync | cudaEventDisableTiming),
        "an event");
}

void CudaEvent::wait_for(cudaStream_t stream, const char* what) {
  check(cudaEventRecord(event_, stream), what);
  check(cudaEventSynchronize(event_), what);
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
