// TGA in the form it is stored in: bits per pixel, colour map, run lengths, the order of its rows
// and columns, and everything after its pixels (extension area, postage stamp, developer area)
// stay.
//
// The order in which rows and columns are stored is not an orientation that a viewer may forget, as
// a tag is: every reader obeys it. So it stays as it is, and the pixels are moved.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::tga {

extern const Codec codec;

}  // namespace qturn::tga
