// Memory on the GPU, streams and captured graphs that clean up after themselves, for tests.
#pragma once

#include <cuda_runtime_api.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <future>
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

inline void need_gpu() {
  if (device_count() == 0) SKIP("no GPU");
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
  std::vector<unsigned char> download(std::int64_t count, std::int64_t from = 0) const {
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
    must(cudaMemcpy(bytes.data(), static_cast<unsigned char*>(data_) + from, bytes.size(),
                    cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  void* data_ = nullptr;
};

/// The first that a case makes: without a GPU it is skipped.
class Stream {
 public:
  Stream() {
    need_gpu();
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void wait() { must(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What `enqueue()` puts on the stream, captured instead of done.
class Captured {
 public:
  template <class Enqueue>
  Captured(Stream& stream, Enqueue enqueue) : stream_(stream) {
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    enqueue();
    must(cudaStreamEndCapture(stream, &graph_));
  }
  ~Captured() {
    if (replayable_ != nullptr) cudaGraphExecDestroy(replayable_);
    cudaGraphDestroy(graph_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  /// As the last two, but `enqueue()` runs in another thread, and nothing is captured. Throws if
  /// that ends the capture, which is in CUDA's global mode.
  template <class Enqueue>
  static void beside(Enqueue enqueue) {
    Stream stream;
    const Captured nothing(stream, [&] { std::async(std::launch::async, enqueue).get(); });
    CHECK(nothing.nodes() == 0);
  }

  /// Does it, and waits.
  void replay() {
    if (replayable_ == nullptr) must(cudaGraphInstantiate(&replayable_, graph_, 0));
    must(cudaGraphLaunch(replayable_, stream_));
    stream_.wait();
  }

  /// How many launches, copies and so on it is.
  std::size_t nodes() const {
    std::size_t count = 0;
    must(cudaGraphGetNodes(graph_, nullptr, &count));
    return count;
  }

 private:
  Stream& stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replayable_ = nullptr;
};

}  // namespace qturn::tests
