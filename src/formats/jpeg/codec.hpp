// JPEG to pixels and back through libjpeg-turbo, for pictures that become or were of another
// format. A JPEG that stays one is turned as it is stored: lossless.hpp, planar.hpp.
#ifndef QTURN_SRC_FORMATS_JPEG_CODEC_HPP
#define QTURN_SRC_FORMATS_JPEG_CODEC_HPP

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

extern const Codec codec;

/// As Codec::read_header.
Header read_jpeg_header(std::span<const std::byte> file);

/// As Codec::decode, to grey or RGB. CMYK is refused.
Image decode_jpeg(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// As Codec::salvage: what libjpeg makes of it.
Image salvage_jpeg(std::span<const std::byte> file, PixelArena& arena,
                   const std::atomic<bool>& stop);

/// As Codec::encode: 8-bit grey or RGB, at the image's quality or 95, without subsampling.
Bytes encode_jpeg(const Image& turned, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// "libjpeg-turbo 2.1.5".
std::string jpeg_library_version();

}  // namespace qturn::jpeg

#endif  // QTURN_SRC_FORMATS_JPEG_CODEC_HPP
