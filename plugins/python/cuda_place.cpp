// Places on the host and on GPUs. The device is the caller's again after each call.
#include <qturn/cpu.hpp>
#include <qturn/cuda.hpp>

#include <cuda_runtime_api.h>

#include <string>

#include "plugins/python/place.hpp"

namespace qturn::python {
namespace {

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // so that it is not the next call's error
  throw CudaError(code, std::string(call) + ": " + cudaGetErrorString(code));
}

class DeviceScope {
 public:
  explicit DeviceScope(int device) : device_(device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    if (before_ != device_) check(cudaSetDevice(device_), "cudaSetDevice");
  }
  ~DeviceScope() {
    if (before_ != device_) cudaSetDevice(before_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int device_;
  int before_ = 0;
};

cudaStream_t stream_of(Place place) { return static_cast<cudaStream_t>(place.stream); }

}  // namespace

void transform(ConstView src, View dst, Orientation orientation, Place place) {
  if (place.device == host) return qturn::transform(src, dst, orientation);
  const DeviceScope scope(place.device);
  qturn::transform(src, dst, orientation, stream_of(place));
}

void transform_in_place(View view, Orientation orientation, Place place) {
  if (place.device == host) return qturn::transform_in_place(view, orientation);
  const DeviceScope scope(place.device);
  qturn::transform_in_place(view, orientation, stream_of(place));
}

void transform_batch(const UniformBatch& batch, Place place) {
  if (place.device == host) return qturn::transform_batch(batch);
  const DeviceScope scope(place.device);
  qturn::transform_batch(batch, stream_of(place));
}

void transform_batch(const BatchImage* images, std::size_t count, Place place) {
  if (place.device == host) return qturn::transform_batch(images, count);
  const DeviceScope scope(place.device);
  qturn::transform_batch(images, count, stream_of(place));
}

void to_planar_batch(const PlanarImage* images, std::size_t count, const PlanarFormat& format,
                     Place place) {
  if (place.device == host) return qturn::to_planar_batch(images, count, format);
  const DeviceScope scope(place.device);
  qturn::to_planar_batch(images, count, format, stream_of(place));
}

void wait(Place place) {
  if (place.device == host) return;
  const DeviceScope scope(place.device);
  check(cudaStreamSynchronize(stream_of(place)), "cudaStreamSynchronize");
}

int device_of(const void* data) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
  return attributes.device;
}

void* device_memory(std::size_t bytes, int device) {
  const DeviceScope scope(device);
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  return data;
}

void free_device_memory(void* data, int device) noexcept {
  int before = 0;
  cudaGetDevice(&before);
  cudaSetDevice(device);
  cudaFree(data);
  cudaSetDevice(before);
}

}  // namespace qturn::python
