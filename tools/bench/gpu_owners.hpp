// Memory on the GPU and streams that clean up after themselves.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>

namespace qturn::bench {

inline void must(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

class GpuMemory {
 public:
  explicit GpuMemory(std::int64_t bytes) {
    must(cudaMalloc(&data_, static_cast<std::size_t>(bytes)));
  }
  ~GpuMemory() { cudaFree(data_); }
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  unsigned char* at(std::int64_t offset) const {
    return static_cast<unsigned char*>(data_) + offset;
  }

 private:
  void* data_ = nullptr;
};

class GpuStream {
 public:
  GpuStream() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~GpuStream() { cudaStreamDestroy(stream_); }
  GpuStream(const GpuStream&) = delete;
  GpuStream& operator=(const GpuStream&) = delete;

  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace qturn::bench
