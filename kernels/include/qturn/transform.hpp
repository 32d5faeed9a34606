// All eight orientations of an image in host memory.
#ifndef QTURN_TRANSFORM_HPP
#define QTURN_TRANSFORM_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

namespace qturn {

/// Writes `src` seen in `orientation` to `dst`, on the calling thread.
///
/// Shapes: `dst` is src.width x src.height, or src.height x src.width where the orientation swaps
/// axes (5 to 8). Both are host memory with the same `pixel_bytes` (1 to 256), at any address and
/// with any pitch, and must not overlap. Pixels are moved, never interpreted; bytes of `dst`
/// between its rows stay as they are. An empty image is a no-op.
///
/// Throws std::invalid_argument, before anything is written, when shapes or sizes disagree, rows
/// of `dst` overlap each other or the views overlap.
QTURN_EXPORT void transform(ConstView src, View dst, Orientation orientation);

}  // namespace qturn

#endif  // QTURN_TRANSFORM_HPP
