// Memory on the GPU and streams that clean up after themselves, for tests.
#ifndef QTURN_TESTS_DEVICE_MEMORY_HPP
#define QTURN_TESTS_DEVICE_MEMORY_HPP

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace qturn::tests {

inline void must(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

inline int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

class DeviceMemory {
 public:
  explicit DeviceMemory(std::int64_t bytes) {
    must(cudaMalloc(&data_, static_cast<std::size_t>(bytes)));
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return data_; }

  void upload(const std::vector<unsigned char>& bytes) {
    must(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    // From pageable memory that returns before the last bytes have arrived, and a stream that does
    // not block would not wait for them.
    must(cudaDeviceSynchronize());
  }
  std::vector<unsigned char> download(std::int64_t count) const {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    must(cudaMemcpy(bytes.data(), data_, bytes.size(), cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  void* data_ = nullptr;
};

class Stream {
 public:
  Stream() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void wait() { must(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace qturn::tests

#endif  // QTURN_TESTS_DEVICE_MEMORY_HPP
