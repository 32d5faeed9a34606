#include <qturn/jpeg_cuda.hpp>

#include <stdexcept>
#include <string>

#include "kernels/jpeg/src/plan.hpp"
#include "kernels/src/cuda/check.hpp"

namespace qturn {
namespace {

// The second dimension of a grid.
constexpr std::size_t most_pictures = 65535;
constexpr std::size_t workspace_alignment = 256;

void check_count(std::size_t count) {
  if (count <= most_pictures) return;
  throw std::invalid_argument(std::to_string(count) + " pictures, expected up to 65535");
}

void check_workspace(const void* workspace) {
  if (workspace && reinterpret_cast<std::uintptr_t>(workspace) % workspace_alignment == 0) return;
  throw std::invalid_argument("a workspace is at address 0 or not at a multiple of 256");
}

}  // namespace

JpegWorkspace jpeg_workspace(const JpegScanTurn* turns, std::size_t count) {
  check_count(count);
  const jpeg::Plan plan = jpeg::plan(turns, count, nullptr, nullptr, nullptr);
  return {plan.all, plan.uploaded};
}

void turn_jpegs(const JpegScanTurn* turns, std::size_t count, void* device_workspace,
                void* host_workspace, JpegResult* results, cudaStream_t stream) {
  check_count(count);
  if (count == 0) return;
  check_workspace(device_workspace);
  check_workspace(host_workspace);
  auto* device = static_cast<std::byte*>(device_workspace);
  jpeg::Plan plan =
      jpeg::plan(turns, count, results, device, static_cast<std::byte*>(host_workspace));
  plan.batch.stream = stream;
  check(cudaMemcpyAsync(device, host_workspace, plan.uploaded, cudaMemcpyHostToDevice, stream));
  check(cudaMemsetAsync(device + plan.uploaded, 0, plan.cleared - plan.uploaded, stream));
  jpeg::unstuff(plan.batch);
  jpeg::synchronise(plan.batch);
  jpeg::read_coefficients(plan.batch, jpeg::shared_bytes_for_reading());
  jpeg::write_codes(plan.batch);
  jpeg::stuff(plan.batch);
}

}  // namespace qturn
