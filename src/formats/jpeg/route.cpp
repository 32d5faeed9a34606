#include "src/formats/jpeg/route.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace qturn::jpeg {
namespace {

constexpr std::int64_t block_size = 8;

// The smallest number of pixels, along one axis, that fills a block of every component.
template <typename Factor>
std::int64_t unit_of(const std::vector<JpegShape::Component>& components, Factor factor) {
  const std::int64_t largest =
      std::invoke(factor, *std::ranges::max_element(components, {}, factor));
  std::int64_t unit = 1;
  for (const JpegShape::Component& component : components) {
    const std::int64_t own = std::invoke(factor, component);
    unit = std::lcm(unit, block_size * largest / std::gcd(block_size * largest, own));
  }
  return unit;
}

}  // namespace

Size whole_blocks(const JpegShape& shape, Orientation orientation) {
  const Reading r = reading(orientation);
  Size whole = shape.size;
  if (r.from_right)
    whole.width -= whole.width % unit_of(shape.components, &JpegShape::Component::h);
  if (r.from_bottom) {
    whole.height -= whole.height % unit_of(shape.components, &JpegShape::Component::v);
  }
  return whole;
}

Route jpeg_route(const JpegShape& shape, Orientation orientation, const JpegOptions& options) {
  if (options.mode != JpegMode::lossless) return Route::planar;
  const Size whole = whole_blocks(shape, orientation);
  if (whole == shape.size) return Route::lossless;
  switch (options.edges) {
    case JpegEdges::reencode:
      return Route::planar;
    case JpegEdges::trim:
      // Nothing would be left of a picture smaller than a block.
      return whole.width == 0 || whole.height == 0 ? Route::none : Route::trimmed;
    case JpegEdges::tag:
      return Route::tagged;
    case JpegEdges::skip:
      return Route::skipped;
    case JpegEdges::fail:
      break;
  }
  return Route::none;
}

}  // namespace qturn::jpeg
