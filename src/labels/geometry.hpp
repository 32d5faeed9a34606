// What becomes of points and boxes when their picture is turned. There is one function for each,
// and all formats use them: they differ only in the sum of a coordinate and its mirror image, which
// is 1 where the picture is 1 wide, the width where pixel 0 lies between 0 and 1, and the width
// plus 1 where pixels are counted from 1.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <string_view>

#include "src/labels/text/decimal.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

/// Whether left and right change places.
constexpr bool mirrors(Orientation orientation) {
  const Reading reading = qturn::reading(orientation);
  return (reading.swap_axes != reading.from_right) != reading.from_bottom;
}

/// Whether the sides of a rotated rectangle keep their numbers in percent of the picture's width
/// and height. A mirror exchanges the rectangle's sides, swapped axes exchange the picture's. It
/// takes both or neither: half a turn, or a mirror along a diagonal.
constexpr bool keeps_percentages(Orientation orientation) {
  return mirrors(orientation) == swaps_axes(orientation);
}

struct LabelPoint {
  Decimal x, y;
};

/// Puts a point in the place of two numbers of a text.
inline void put(LabelText& edits, const LabelPoint& point, std::string_view x, std::string_view y) {
  edits.replace(x, point.x.text());
  edits.replace(y, point.y.text());
}

/// The turn of a picture, for coordinates whose sums with their mirror images are these.
struct CoordinateTurn {
  Orientation orientation = Orientation::identity;
  std::int64_t sum_x = 0, sum_y = 0;  ///< before the turn
};

inline LabelPoint turned(LabelPoint point, const CoordinateTurn& turn) {
  const Reading reading = qturn::reading(turn.orientation);
  if (reading.from_right) point.x = point.x.mirrored(turn.sum_x);
  if (reading.from_bottom) point.y = point.y.mirrored(turn.sum_y);
  return reading.swap_axes ? LabelPoint{point.y, point.x} : point;
}

/// An angle by which a box is turned around its middle. The box turns with the picture, so the
/// angle changes in a mirror alone: it counts the other way round, and becomes `rest` or, if that
/// or the angle is negative, changes its sign.
inline Decimal turned_angle(const Decimal& angle, const Decimal& rest, Orientation orientation) {
  if (!mirrors(orientation) || angle.is_zero() || rest.is_zero()) return angle;
  return angle.is_negative() || rest.is_negative() ? angle.mirrored(0) : rest;
}

/// In degrees, from 0 to 360.
inline Decimal turned_angle(const Decimal& degrees, Orientation orientation) {
  return turned_angle(degrees, degrees.mirrored(360), orientation);
}

/// In radians, from 0 to so many times pi.
inline Decimal turned_radians(const Decimal& radians, std::int64_t times_pi,
                              Orientation orientation) {
  return turned_angle(radians, radians.mirrored_in_pi(times_pi), orientation);
}

/// Two opposite corners of a box. The first is the one nearest to the origin.
struct LabelCorners {
  LabelPoint first, last;
};

/// A corner becomes the corner that is nearest to the origin then.
inline LabelCorners turned(const LabelCorners& box, const CoordinateTurn& turn) {
  const Reading reading = qturn::reading(turn.orientation);
  const LabelPoint first = turned(box.first, turn), last = turned(box.last, turn);
  const bool exchanges_x = reading.swap_axes ? reading.from_bottom : reading.from_right;
  const bool exchanges_y = reading.swap_axes ? reading.from_right : reading.from_bottom;
  return {{exchanges_x ? last.x : first.x, exchanges_y ? last.y : first.y},
          {exchanges_x ? first.x : last.x, exchanges_y ? first.y : last.y}};
}

/// A width and a height.
inline LabelPoint turned_extent(const LabelPoint& extent, const CoordinateTurn& turn) {
  return swaps_axes(turn.orientation) ? LabelPoint{extent.y, extent.x} : extent;
}

/// A box by its corner that is nearest to the origin.
struct LabelBox {
  LabelPoint corner, extent;
};

inline LabelBox turned_box(const LabelBox& box, const CoordinateTurn& turn) {
  const Reading reading = qturn::reading(turn.orientation);
  LabelPoint corner = turned(box.corner, turn);
  Decimal& from_x = reading.swap_axes ? corner.y : corner.x;
  Decimal& from_y = reading.swap_axes ? corner.x : corner.y;
  if (reading.from_right) from_x = from_x.minus(box.extent.x);
  if (reading.from_bottom) from_y = from_y.minus(box.extent.y);
  return {corner, turned_extent(box.extent, turn)};
}

}  // namespace qturn
