#include "tests/kernels/device_kernels.hpp"

#include <algorithm>

#include "tests/kernels/device_memory.hpp"

namespace qturn::tests {
namespace {

constexpr int threads = 256;
using Byte = unsigned char;

__device__ std::int64_t thread() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t all_threads() { return std::int64_t{gridDim.x} * threads; }

__global__ void working(const Byte* from, Byte* to, std::int64_t bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  std::uint64_t begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < 300'000);  // nanoseconds
  for (std::int64_t i = thread(); i < bytes; i += all_threads()) to[i] = from[i];
}

__global__ void filling(Byte* memory, std::int64_t bytes) {
  for (std::int64_t i = thread(); i < bytes; i += all_threads()) {
    std::uint64_t z = (static_cast<std::uint64_t>(i) / 8 + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    memory[i] = static_cast<Byte>((z ^ (z >> 31)) >> (i % 8 * 8));
  }
}

__global__ void comparing(const Byte* a, const Byte* b, std::int64_t bytes,
                          unsigned long long* first) {
  for (std::int64_t i = thread(); i < bytes; i += all_threads()) {
    if (a[i] != b[i])
      return static_cast<void>(atomicMin(first, static_cast<unsigned long long>(i)));
  }
}

__global__ void trapping() { __trap(); }

}  // namespace

void work_then_copy(const void* from, void* to, std::int64_t bytes, cudaStream_t stream) {
  // Few blocks, so that there is room for the next kernel.
  working<<<16, threads, 0, stream>>>(static_cast<const Byte*>(from), static_cast<Byte*>(to),
                                      bytes);
  must(cudaGetLastError());
}

bool foreign_kernels_overlap() {
  cudaFuncAttributes compiled{};
  must(cudaFuncGetAttributes(&compiled, working));
  return compiled.ptxVersion >= 90;
}

void fill_by_place(void* memory, std::int64_t bytes, cudaStream_t stream) {
  filling<<<4096, threads, 0, stream>>>(static_cast<Byte*>(memory), bytes);
  must(cudaGetLastError());
}

void lose_device() {
  trapping<<<1, 1>>>();
  if (cudaDeviceSynchronize() == cudaSuccess) throw std::runtime_error("the device is still there");
}

std::int64_t first_difference(const void* a, const void* b, std::int64_t bytes) {
  const DeviceMemory first(sizeof(unsigned long long));
  must(cudaMemset(first.data(), 0xFF, sizeof(unsigned long long)));
  comparing<<<4096, threads>>>(static_cast<const Byte*>(a), static_cast<const Byte*>(b), bytes,
                               static_cast<unsigned long long*>(first.data()));
  must(cudaGetLastError());
  std::int64_t found = 0;
  must(cudaMemcpy(&found, first.data(), sizeof found, cudaMemcpyDeviceToHost));
  return found;
}

}  // namespace qturn::tests
