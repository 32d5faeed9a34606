#include <qturn/jpeg_cuda.hpp>

#include "kernels/jpeg/src/enqueue.hpp"
#include "kernels/jpeg/src/plan.hpp"

namespace qturn {

JpegWorkspace jpeg_workspace(const JpegScanTurn* turns, std::size_t count) {
  jpeg::check_count(count);
  const jpeg::Plan plan = jpeg::plan(turns, count, nullptr, nullptr, nullptr);
  return {plan.all, plan.uploaded};
}

void turn_jpegs(const JpegScanTurn* turns, std::size_t count, void* device_workspace,
                void* host_workspace, JpegResult* results, cudaStream_t stream) {
  if (!jpeg::has_work(count, device_workspace, host_workspace)) return;
  auto* device = static_cast<std::byte*>(device_workspace);
  auto* host = static_cast<std::byte*>(host_workspace);
  jpeg::Plan plan = jpeg::plan(turns, count, results, device, host);
  plan.batch.stream = stream;
  jpeg::enqueue_reading(plan.batch, plan, device, host);
  jpeg::write_codes(plan.batch);
  jpeg::stuff(plan.batch);
}

}  // namespace qturn
