// JPEG XL, as a bare codestream or in a container. Its pixels are never decoded: a turn is written
// to the header of the codestream, where every decoder obeys it (codestream.hpp).
#ifndef QTURN_SRC_FORMATS_JXL_CODEC_HPP
#define QTURN_SRC_FORMATS_JXL_CODEC_HPP

#include "src/formats/codec/codec.hpp"

namespace qturn::jxl {

extern const Codec codec;

}  // namespace qturn::jxl

#endif  // QTURN_SRC_FORMATS_JXL_CODEC_HPP
