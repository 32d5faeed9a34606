#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <qturn/cuda.hpp>

#include "src/gpu/device.hpp"

namespace qturn {
namespace {

/// Runs the smallest possible transform, so that a device whose architecture is not in this build
/// fails here and not later.
std::string try_kernel(int device) {
  std::string problem;
  void* pixels = nullptr;
  cudaError_t error = cudaSetDevice(device);
  if (error == cudaSuccess) error = cudaMalloc(&pixels, 64);
  if (error == cudaSuccess) error = cudaMemset(pixels, 0, 64);  // initcheck looks at what is read
  try {
    if (error == cudaSuccess) {
      auto* const bytes = static_cast<std::byte*>(pixels);
      transform(ConstView{bytes, 2, 2, 2, 1}, View{bytes + 32, 2, 2, 2, 1}, Orientation::transpose,
                nullptr);
      error = cudaStreamSynchronize(nullptr);
    }
  } catch (const CudaError& launch_error) {
    problem = launch_error.what();
  }
  if (error != cudaSuccess) problem = cudaGetErrorString(error);
  cudaFree(pixels);
  cudaGetLastError();  // so that the next caller does not find it
  return problem;
}

}  // namespace

Devices find_devices() {
  Devices devices;
  cudaRuntimeGetVersion(&devices.runtime_version);
  cudaDriverGetVersion(&devices.driver_version);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (devices.driver_version == 0)
    devices.cuda_problem = "there is no NVIDIA driver on this machine";
  else if (error == cudaErrorInsufficientDriver)
    devices.cuda_problem =
        fmt::format("the NVIDIA driver supports CUDA {}.{}, {}.{} is needed; update the driver",
                    devices.driver_version / 1000, devices.driver_version % 1000 / 10,
                    devices.runtime_version / 1000, devices.runtime_version % 1000 / 10);
  else if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    devices.cuda_problem =
        "there is a driver but no CUDA device (CUDA_VISIBLE_DEVICES may hide it)";
  else if (error != cudaSuccess)
    devices.cuda_problem = cudaGetErrorString(error);
  if (!devices.cuda_problem.empty()) return devices;

  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    CudaDevice device{.index = index, .name = {}, .problem = {}};
    if (const cudaError_t failed = cudaGetDeviceProperties(&properties, index);
        failed != cudaSuccess) {
      device.problem = cudaGetErrorString(failed);
    } else {
      device.name = properties.name;
      device.compute_capability = properties.major * 10 + properties.minor;
      device.memory_bytes = properties.totalGlobalMem;
      device.problem = try_kernel(index);
    }
    devices.cuda.push_back(device);
  }
  return devices;
}

}  // namespace qturn
