#include <qturn/jpeg_planar_cuda.hpp>

#include "kernels/jpeg/src/enqueue.hpp"
#include "kernels/jpeg/src/planar_plan.hpp"

namespace qturn {

JpegWorkspace jpeg_planar_workspace(const JpegPlanarTurn* turns, std::size_t count) {
  jpeg::check_count(count);
  const jpeg::PlanarPlan plan = jpeg::plan(turns, count, nullptr, nullptr, nullptr);
  return {plan.all, plan.uploaded};
}

void turn_jpegs_by_planes(const JpegPlanarTurn* turns, std::size_t count, void* device_workspace,
                          void* host_workspace, JpegPlanarResult* results, cudaStream_t stream) {
  if (!jpeg::has_work(count, device_workspace, host_workspace)) return;
  auto* device = static_cast<std::byte*>(device_workspace);
  auto* host = static_cast<std::byte*>(host_workspace);
  jpeg::PlanarPlan plan = jpeg::plan(turns, count, results, device, host);
  plan.read.stream = plan.written.stream = stream;
  jpeg::enqueue_reading(plan.read, plan, device, host);
  jpeg::restore_blocks(plan.read, plan.restored, plan.restored_tiles);
  jpeg::turn_planes(plan.written, plan.planar, plan.turned_tiles);
  jpeg::fit_tables(plan.written, plan.planar, plan.counted_blocks);
  jpeg::write_codes(plan.written);
  jpeg::stuff(plan.written);
}

}  // namespace qturn
