// Where a page of a TIFF lies on a canvas, as programs for panoramas write it: XPosition and
// YPosition in units of the resolution, and the canvas' size in the fields 33300 and 33301.
#pragma once

#include <qturn/orientation.hpp>

#include "src/formats/tiff/directories.hpp"

namespace qturn::tiff {

/// Whether turn_page_place() turns all that a page says of its place, if anything. It does not
/// without the canvas' size, with another resolution in each axis, or between two pixels.
bool turns_page_place(const TiffDirectory& page);

/// Turns the place of a page that had this size. What is not turned stays as it is.
void turn_page_place(TiffDirectory& page, Size before, Orientation applied);

}  // namespace qturn::tiff
