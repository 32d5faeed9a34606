#include "tools/bench/jpeg_batch.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "src/turn/picture_turn.hpp"

namespace qturn::bench {

std::vector<AskedJpeg> asked_jpegs(std::span<const Bytes> photographs, Orientation orientation,
                                   JpegMode mode) {
  std::vector<AskedJpeg> asked;
  for (const Bytes& file : photographs) {
    const PictureTurn picture(file, ".jpg", {.jpeg = {.mode = mode}});
    auto request = picture.request(std::array{orientation});
    if (!request || (mode == JpegMode::lossless && request->lossless.empty())) continue;
    asked.push_back({file, std::move(*request)});
  }
  if (asked.empty()) throw std::runtime_error("a GPU takes none of the photographs");
  return asked;
}

void must_have_no_faults(JpegFaults faults) {
  if (faults.any()) throw std::runtime_error("the GPU gave a photograph up: " + faults.text());
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace qturn::bench
