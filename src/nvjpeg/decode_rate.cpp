#include "src/nvjpeg/decode_rate.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "src/formats/jpeg/hardware/hardware.hpp"
#include "src/nvjpeg/codec.hpp"

namespace qturn {
namespace {

struct DeviceFree {
  void operator()(std::byte* memory) const { cudaFree(memory); }
};

}  // namespace

double nvjpeg_decode_rate(const std::vector<int>& devices, std::span<const Bytes> files,
                          std::size_t batch, int states, double seconds) {
  const std::atomic<bool> never = false;
  std::vector<std::span<const std::byte>> inputs;
  std::vector<PlanarLayout> layouts;
  for (const Bytes& file : files) {
    const auto jpeg = HardwareJpeg::of(file, never);
    if (!jpeg) continue;
    const PlanarRequest request = jpeg->request({});
    inputs.push_back(file);
    layouts.emplace_back(request.size, request.h, request.v);
  }
  if (inputs.empty() || !nvjpeg_library().problem.empty()) return 0;
  const std::size_t taken = inputs.size();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < batch; ++i) {
    inputs.push_back(inputs[i % taken]);
    layouts.push_back(layouts[i % taken]);
  }
  inputs.erase(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(taken));
  layouts.erase(layouts.begin(), layouts.begin() + static_cast<std::ptrdiff_t>(taken));
  for (const PlanarLayout& layout : layouts) bytes += layout.bytes;

  std::atomic<std::size_t> decoded = 0;
  std::atomic<bool> over = false;
  std::mutex mutex;
  std::exception_ptr problem;
  const auto decode = [&](int device) {
    try {
      check(cudaSetDevice(device), "the device");
      const NvJpegHandle handle(NVJPEG_BACKEND_HARDWARE);
      NvJpegDecoder decoder(handle, cudaStreamPerThread);
      void* memory = nullptr;
      check(cudaMalloc(&memory, bytes), "device memory");
      const std::unique_ptr<std::byte, DeviceFree> owner(static_cast<std::byte*>(memory));
      std::vector<std::byte*> planes;
      std::uint64_t at = 0;
      for (const PlanarLayout& layout : layouts) {
        planes.push_back(owner.get() + at);
        at += layout.bytes;
      }
      while (!over) {
        decoder.decode(inputs, layouts, planes);
        decoded += batch;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      problem = std::current_exception();
      over = true;
    }
  };
  double rate = 0;
  {
    std::vector<std::jthread> threads;
    for (const int device : devices) {
      for (int i = 0; i < states; ++i) threads.emplace_back(decode, device);
    }
    using Clock = std::chrono::steady_clock;
    // The first batches of each state include the time to allocate its memory.
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 3));
    const std::size_t before = decoded;
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const std::size_t after = decoded;
    rate = static_cast<double>(after - before) /
           std::chrono::duration<double>(Clock::now() - start).count();
    over = true;
  }
  if (problem) std::rethrow_exception(problem);
  return rate;
}

}  // namespace qturn
