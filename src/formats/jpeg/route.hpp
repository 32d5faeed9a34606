// How a JPEG that stays a JPEG is turned: a pure function of its header, the turn and the options.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace qturn::jpeg {

/// A picture's size and its components' sampling factors.
struct JpegShape {
  struct Component {
    int h = 1, v = 1;
  };
  Size size;
  std::vector<Component> components;
};

/// The picture without the columns and rows that `orientation` would bring to the left or upper
/// edge and that do not fill a block of each component. The turn is exact if this is the whole
/// size.
inline Size whole_blocks(const JpegShape& shape, Orientation orientation) {
  // The smallest number of pixels, along one axis, that fills a block of every component.
  const auto unit_of = [&](int JpegShape::Component::*factor) {
    constexpr std::int64_t block_size = 8;
    const std::int64_t largest = (*std::ranges::max_element(shape.components, {}, factor)).*factor;
    std::int64_t unit = 1;
    for (const JpegShape::Component& component : shape.components) {
      const std::int64_t own = component.*factor;
      unit = std::lcm(unit, block_size * largest / std::gcd(block_size * largest, own));
    }
    return unit;
  };
  const Reading r = reading(orientation);
  Size whole = shape.size;
  if (r.from_right) whole.width -= whole.width % unit_of(&JpegShape::Component::h);
  if (r.from_bottom) whole.height -= whole.height % unit_of(&JpegShape::Component::v);
  return whole;
}

/// How `orientation` (not identity) is applied; none where it is refused.
inline Route jpeg_route(const JpegShape& shape, Orientation orientation,
                        const JpegOptions& options) {
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
