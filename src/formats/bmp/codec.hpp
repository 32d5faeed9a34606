// BMP in the form it is stored in: bits per pixel, palette, masks, profile and every other byte of
// its headers stay, and the pixels are moved as what they are, indices or numbers of 2 to 4 bytes.
//
// The format is small enough to be read here (layout.hpp, run_lengths.hpp). OpenImageIO makes 24
// bits of most files, loses alpha and palettes, and knows six of the nine headers; libgd and
// stb_image write 24 bits only.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::bmp {

extern const Codec codec;

}  // namespace qturn::bmp
