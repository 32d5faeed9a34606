#include <qturn/jpeg_decode_cuda.hpp>

#include "kernels/jpeg/src/decode.hpp"
#include "kernels/jpeg/src/enqueue.hpp"

namespace qturn {

struct JpegDecodePlan::Asked : jpeg::AskedDecodes {};

JpegDecodePlan::JpegDecodePlan(const JpegScanDecode* pictures, std::size_t count) {
  jpeg::check_count(count);
  asked_ = std::make_unique<Asked>(
      Asked{jpeg::asked_of(pictures, count, jpeg::cut_for(pictures, count))});
}

JpegDecodePlan::~JpegDecodePlan() = default;
JpegDecodePlan::JpegDecodePlan(JpegDecodePlan&& other) noexcept = default;
JpegDecodePlan& JpegDecodePlan::operator=(JpegDecodePlan&& other) noexcept = default;

JpegWorkspace JpegDecodePlan::workspace() const {
  const jpeg::DecodePlan plan = jpeg::plan(*asked_, nullptr, nullptr, nullptr);
  return {plan.all, plan.uploaded};
}

void JpegDecodePlan::decode(void* device_workspace, void* host_workspace, JpegResult* results,
                            cudaStream_t stream) const {
  if (!jpeg::has_work(asked_->read.size(), device_workspace, host_workspace)) return;
  auto* device = static_cast<std::byte*>(device_workspace);
  auto* host = static_cast<std::byte*>(host_workspace);
  jpeg::DecodePlan plan = jpeg::plan(*asked_, results, device, host);
  plan.batch.stream = stream;
  jpeg::enqueue_reading(plan.batch, plan, device, host);
  jpeg::restore_blocks(plan.batch, plan.restored, plan.tiles);
  jpeg::convert_pixels(plan.batch, plan.restored, asked_->largest);
  jpeg::report_results(plan.batch);
}

JpegWorkspace jpeg_decode_workspace(const JpegScanDecode* pictures, std::size_t count) {
  return JpegDecodePlan(pictures, count).workspace();
}

void decode_jpegs(const JpegScanDecode* pictures, std::size_t count, void* device_workspace,
                  void* host_workspace, JpegResult* results, cudaStream_t stream) {
  JpegDecodePlan(pictures, count).decode(device_workspace, host_workspace, results, stream);
}

}  // namespace qturn
