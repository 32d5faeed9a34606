// The checks of every entry point before it touches a pixel.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <string>

namespace qturn {

inline constexpr int max_pixel_bytes = 256;

/// Throws std::invalid_argument when the numbers of a view make no sense; `which` names it.
void check_view(ConstView view, const std::string& which);

/// Throws std::invalid_argument when rows of `view` overlap each other.
void check_rows(ConstView view, const std::string& which);

/// Throws std::invalid_argument unless `dst` can hold `src` seen in `orientation` and shares no
/// byte with it.
void check_shapes(ConstView src, View dst, Orientation orientation);

/// Throws std::invalid_argument unless `view` can be turned within its own memory.
void check_in_place(ConstView view, Orientation orientation);

/// Throws std::invalid_argument unless `count` descriptors at `images` and the workspace of a batch
/// that lies in device memory make sense.
void check_batch_in_memory(const void* images, std::size_t alignment, std::size_t count,
                           const void* workspace);

/// True if a byte belongs to rows of both views. Exact if the pitches agree up to sign (two
/// rectangles of one picture do not overlap merely because their rows interleave). Otherwise it
/// compares the spans from first to last byte.
bool overlap(ConstView a, ConstView b);

}  // namespace qturn
