// All eight orientations of an image in host memory.
//
// Threads: a call works on the calling thread alone, and the library keeps nothing between calls.
// Any number of threads may call at once, also for parts of one picture, as long as no two of them
// write the same bytes, and none reads what another writes.
#ifndef QTURN_CPU_HPP
#define QTURN_CPU_HPP

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

/// Transforms `view` within its own memory, on the calling thread, without memory for a second
/// image.
///
/// flop, flip and rotate180 work on any size, the four orientations that swap axes on squares only.
/// Pixels of 1 to 256 bytes are moved, never interpreted; bytes between rows stay as they are. An
/// empty image is a no-op.
///
/// Throws std::invalid_argument, before anything is written, when the orientation swaps axes and
/// the view is not a square (use transform() to other memory), when rows overlap each other, and
/// for sizes that make no sense.
QTURN_EXPORT void transform_in_place(View view, Orientation orientation);

}  // namespace qturn

#endif  // QTURN_CPU_HPP
