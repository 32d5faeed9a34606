#include "kernels/src/cuda_device.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "kernels/src/cuda_check.hpp"

namespace qturn {
namespace {

CudaDevice ask(int device) {
  int multiprocessors = 0;
  int major = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return {multiprocessors, major >= 9};
}

std::vector<CudaDevice> ask_all() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  std::vector<CudaDevice> devices;
  for (int device = 0; device < count; ++device) devices.push_back(ask(device));
  return devices;
}

}  // namespace

const CudaDevice& current_device() {
  // If this throws, the next call asks again.
  static const std::vector<CudaDevice> devices = ask_all();
  int device = 0;
  check(cudaGetDevice(&device));
  return devices[static_cast<std::size_t>(device)];
}

}  // namespace qturn
