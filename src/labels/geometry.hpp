// What becomes of points and boxes when their picture is turned. There is one function for each,
// and all formats use them: they differ only in the sum of a coordinate and its mirror image, which
// is 1 where the picture is 1 wide, the width where pixel 0 lies between 0 and 1, and the width
// plus 1 where pixels are counted from 1.
#ifndef QTURN_SRC_LABELS_GEOMETRY_HPP
#define QTURN_SRC_LABELS_GEOMETRY_HPP

#include <qturn/orientation.hpp>

#include <cstdint>

#include "src/labels/decimal.hpp"

namespace qturn {

struct LabelPoint {
  Decimal x, y;
};

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

/// A width and a height.
inline LabelPoint turned_extent(const LabelPoint& extent, const CoordinateTurn& turn) {
  return swaps_axes(turn.orientation) ? LabelPoint{extent.y, extent.x} : extent;
}

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_GEOMETRY_HPP
