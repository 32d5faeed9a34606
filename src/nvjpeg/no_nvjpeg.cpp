#include "src/nvjpeg/decode_rate.hpp"
#include "src/nvjpeg/device.hpp"

namespace qturn {

NvJpegStatus nvjpeg_status(int) {
  return {.version = {}, .engines = 0, .problem = "this qturn was built without nvJPEG's header"};
}

std::unique_ptr<JpegDevice> make_nvjpeg_device(const std::vector<int>&, SpareBytes&,
                                               const std::atomic<bool>&) {
  return nullptr;
}

double nvjpeg_decode_rate(const std::vector<int>&, std::span<const Bytes>, std::size_t, int,
                          double) {
  return 0;
}

}  // namespace qturn
