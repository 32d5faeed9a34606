// Radiance HDR: three mantissas and an exponent of a byte each, which are moved as four bytes. The
// lines of text before them (exposure, view and others) stay as they are.
//
// OpenImageIO makes floats of them and back, in which the smallest values become 0, and does not
// read the run lengths of before 1991.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::hdr {

extern const Codec codec;

}  // namespace qturn::hdr
