// Planes are turned one by one, a band of rows at a time, by the kernels of transform(); the band
// stays in a cache, and its samples go to every n-th place of the pixels.
#include <qturn/cpu.hpp>
#include <qturn/planar.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/src/cpu/rows.hpp"
#include "kernels/src/planar_format.hpp"

namespace qturn {
namespace {

template <int bytes>
void spread(View band, View dst, std::int64_t y, int plane) {
  for (std::int64_t row = 0; row < band.height; ++row) {
    const std::uint8_t* from = row_of(band, row);
    std::uint8_t* to = row_of(dst, y + row) + plane * bytes;
    for (std::int64_t x = 0; x < band.width; ++x, from += bytes, to += dst.pixel_bytes)
      std::memcpy(to, from, bytes);
  }
}

/// `memory` is for a band, and images may share it.
void interleave(const InterleavedImage& image, int planes, std::vector<std::uint8_t>& memory) {
  const View& dst = image.dst;
  if (dst.empty()) return;
  const int bytes = dst.pixel_bytes / planes;
  const auto spread_known = bytes == 1 ? spread<1> : bytes == 2 ? spread<2> : spread<4>;
  constexpr std::int64_t band_bytes = std::int64_t{128} << 10;
  const std::int64_t row_bytes = dst.width * bytes;
  const std::int64_t most = std::clamp<std::int64_t>(band_bytes / row_bytes, 1, dst.height);
  memory.resize(std::max(memory.size(), static_cast<std::size_t>(most * row_bytes)));
  for (std::int64_t y = 0; y < dst.height; y += most) {
    const View band{memory.data(), dst.width, std::min(most, dst.height - y), row_bytes, bytes};
    for (int plane = 0; plane < planes; ++plane) {
      const ConstView src = plane_of(image.src, plane, bytes);
      transform(part_of(src, reading(image.orientation), y, band.height), band, image.orientation);
      spread_known(band, dst, y, plane);
    }
  }
}

}  // namespace

void from_planar(ConstPlanarView src, int planes, View dst, Orientation orientation) {
  const InterleavedImage image{src, dst, orientation};
  check_interleaved(image, planes);
  std::vector<std::uint8_t> memory;
  interleave(image, planes, memory);
}

void from_planar_batch(const InterleavedImage* images, std::size_t count, int planes) {
  if (count == 0) return;
  check_interleaved(images, count, planes);
  std::vector<std::uint8_t> memory;
  for (std::size_t i = 0; i < count; ++i) interleave(images[i], planes, memory);
}

}  // namespace qturn
