// Where a frame of an animation lies, and where the turn takes it.
#pragma once

#include <qturn/orientation.hpp>

#include <algorithm>
#include <cstdint>

namespace qturn {

/// A rectangle in the area that all frames share, the canvas.
struct FramePlace {
  std::int64_t x = 0, y = 0, width = 0, height = 0;

  /// Has pixels, and all of them lie within the canvas.
  bool is_within(Size canvas) const {
    return width > 0 && height > 0 && x >= 0 && y >= 0 && width <= canvas.width - x &&
           height <= canvas.height - y;
  }

  bool operator==(const FramePlace&) const = default;
};

/// The place of the frame, which lies within the canvas, once the canvas is turned.
inline FramePlace turned(const FramePlace& place, Orientation orientation, Size canvas) {
  const Position a = destination_of(orientation, {place.x, place.y}, canvas);
  const Position b =
      destination_of(orientation, {place.x + place.width - 1, place.y + place.height - 1}, canvas);
  const Size size = turned_size(orientation, {place.width, place.height});
  return {std::min(a.x, b.x), std::min(a.y, b.y), size.width, size.height};
}

}  // namespace qturn
