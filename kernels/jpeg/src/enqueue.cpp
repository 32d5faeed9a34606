#include "kernels/jpeg/src/enqueue.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "kernels/src/cuda/check.hpp"

namespace qturn::jpeg {

namespace {

void check_workspace(const void* workspace) {
  constexpr std::size_t alignment = 256;
  if (workspace && reinterpret_cast<std::uintptr_t>(workspace) % alignment == 0) return;
  throw std::invalid_argument("a workspace is at address 0 or not at a multiple of 256");
}

}  // namespace

void check_count(std::size_t count) {
  constexpr std::size_t most_pictures = 65535;  // the second dimension of a grid
  if (count <= most_pictures) return;
  throw std::invalid_argument(std::to_string(count) + " pictures, expected up to 65535");
}

bool has_work(std::size_t count, const void* device_workspace, const void* host_workspace) {
  check_count(count);
  if (count == 0) return false;
  check_workspace(device_workspace);
  check_workspace(host_workspace);
  return true;
}

void enqueue_plan(const Batch& batch, const WorkspaceEnds& ends, std::byte* device,
                  const std::byte* host) {
  check(cudaMemcpyAsync(device, host, ends.uploaded, cudaMemcpyHostToDevice, batch.stream));
  check(cudaMemsetAsync(device + ends.uploaded, 0, ends.cleared - ends.uploaded, batch.stream));
  make_read_tables(batch);
}

void enqueue_reading(const Batch& batch, const WorkspaceEnds& ends, std::byte* device,
                     const std::byte* host) {
  enqueue_plan(batch, ends, device, host);
  unstuff(batch);
  synchronise(batch);
  read_coefficients(batch, shared_bytes_for_reading());
}

}  // namespace qturn::jpeg
