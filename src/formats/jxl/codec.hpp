// JPEG XL, as a bare codestream or in a container. Its pixels are never decoded: a turn is written
// to the header of the codestream, where every decoder obeys it (codestream.hpp).
#pragma once

#include "src/formats/codec/codec.hpp"

namespace qturn::jxl {

extern const Codec codec;

}  // namespace qturn::jxl
