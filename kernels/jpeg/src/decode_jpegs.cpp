#include <qturn/jpeg_decode_cuda.hpp>

#include "kernels/jpeg/src/decode.hpp"
#include "kernels/jpeg/src/enqueue.hpp"

namespace qturn {

JpegWorkspace jpeg_decode_workspace(const JpegScanDecode* pictures, std::size_t count) {
  jpeg::check_count(count);
  const jpeg::DecodePlan plan = jpeg::plan(pictures, count, nullptr, nullptr, nullptr);
  return {plan.all, plan.uploaded};
}

void decode_jpegs(const JpegScanDecode* pictures, std::size_t count, void* device_workspace,
                  void* host_workspace, JpegResult* results, cudaStream_t stream) {
  if (!jpeg::has_work(count, device_workspace, host_workspace)) return;
  auto* device = static_cast<std::byte*>(device_workspace);
  auto* host = static_cast<std::byte*>(host_workspace);
  jpeg::DecodePlan plan = jpeg::plan(pictures, count, results, device, host);
  plan.batch.stream = stream;
  jpeg::enqueue_reading(plan.batch, plan, device, host);
  jpeg::restore_blocks(plan.batch, plan.restored, plan.tiles);
  jpeg::convert_pixels(plan.batch, plan.restored, plan.largest);
  jpeg::report_results(plan.batch);
}

}  // namespace qturn
