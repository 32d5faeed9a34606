// HEIC and AVIF, which share their container. Their pixels are never decoded: a turn is written to
// the container, where all readers must obey it (heif.hpp).
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::heif {

extern const Codec heic_codec;
extern const Codec avif_codec;

}  // namespace qturn::heif
