// What a caller asks for, checked, as the coder has it.
#pragma once

#include <qturn/jpeg_cuda.hpp>

#include "kernels/jpeg/src/layout.hpp"

namespace qturn::jpeg {

/// The layout of a scan. Throws std::invalid_argument for sizes, factors and counts that make no
/// sense.
Layout layout_of(const JpegScanLayout& scan);

/// The samples of a component of a picture of `size` pixels, without those that only fill a block.
Size samples_of(const Layout& layout, Size size, const Component& component);

/// Throws std::invalid_argument if a sampling factor does not divide the largest one.
void check_whole_pixels(const Layout& layout);

/// The turn that is asked for. Throws std::invalid_argument if `dst` is not `src`, turned.
Turn turn_of(const JpegScanTurn& turn);

}  // namespace qturn::jpeg
