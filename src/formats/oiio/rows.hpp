// The formats that are taken as OpenImageIO's plugins read and write them.
//
// Plugins have faults: some write files that they cannot read again. So whatever is written is read
// again before anyone gets it, and compared: pixels, channels, attributes. What differs is refused.
// A header that no attribute tells in full goes from the source to the result, byte for byte.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::oiio {

extern const Codec jpeg2000, dpx, sgi;

}  // namespace qturn::oiio
