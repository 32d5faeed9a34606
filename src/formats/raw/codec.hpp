// Camera raw files that are built like a TIFF: DNG, NEF, CR2, ARW, PEF, ORF, RW2 and others. Their
// pixels are never turned. Only the orientation tag is changed, where it lies: raw developers and
// viewers look at that of the first directory.
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::raw {

extern const Codec codec;

/// Those that are not built like a TIFF. All are refused.
extern const Codec other_codec;

}  // namespace qturn::raw
