// A build without a CUDA compiler: says so wherever a CUDA device is asked for.
#include "src/gpu/device.hpp"
#include "src/gpu/scan_decoder.hpp"
#include "src/gpu/scan_device.hpp"

namespace qturn {

Devices find_devices() {
  return {.cuda_problem = "this program was built without CUDA", .cuda = {}};
}

std::unique_ptr<JpegDevice> make_scan_device(const std::vector<int>&, const ScanDeviceLimits&,
                                             SpareBytes&, const std::atomic<bool>&) {
  throw std::logic_error("a CUDA device in a build without CUDA");
}

std::unique_ptr<ScanDecoder> make_scan_decoder(const DecoderOptions&) {
  throw DeviceError("no CUDA device can be used: this was built without CUDA");
}

std::unique_ptr<Lane> make_cuda_lane(int, std::size_t) {
  throw std::logic_error("a CUDA lane in a build without CUDA");
}

}  // namespace qturn
