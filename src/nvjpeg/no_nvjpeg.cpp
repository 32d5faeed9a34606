#include "src/nvjpeg/device.hpp"

namespace qturn {

NvJpegStatus nvjpeg_status(int) {
  return {.version = {}, .engines = 0, .problem = "this qturn was built without nvJPEG's header"};
}

std::unique_ptr<PlanarDevice> make_nvjpeg_device(const std::vector<int>&,
                                                 const std::atomic<bool>&) {
  return nullptr;
}

}  // namespace qturn
