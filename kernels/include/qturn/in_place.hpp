// Orientations of an image within its own host memory.
#ifndef QTURN_IN_PLACE_HPP
#define QTURN_IN_PLACE_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

namespace qturn {

/// Makes `view` what it looks like in `orientation`, on the calling thread, without memory for a
/// second image.
///
/// flop, flip and rotate180 take any size, the four that swap axes a square: its width and height
/// stay what they are. Pixels of 1 to 256 bytes are moved, never interpreted; bytes between rows
/// stay as they are. An empty image is a no-op.
///
/// Throws std::invalid_argument, before anything is written, when the orientation swaps axes and
/// the view is no square (transform() to other memory is what turns it), its rows overlap each
/// other, or its sizes make no sense.
QTURN_EXPORT void transform_in_place(View view, Orientation orientation);

}  // namespace qturn

#endif  // QTURN_IN_PLACE_HPP
