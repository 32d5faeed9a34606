// JPEG to pixels and back through libjpeg-turbo, for pictures that become or were of another
// format. A JPEG that stays one is turned as it is stored: lossless.hpp, planar.hpp.
#ifndef QTURN_SRC_JPEG_CODEC_HPP
#define QTURN_SRC_JPEG_CODEC_HPP

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"

namespace qturn {

/// As read_header.
Header read_jpeg_header(std::span<const std::byte> file);

/// As decode, to grey or RGB. CMYK is refused.
Image decode_jpeg(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// As encode: 8-bit grey or RGB, at quality 95 without subsampling.
Bytes encode_jpeg(const Image& turned, const std::atomic<bool>& stop);

/// "libjpeg-turbo 2.1.5".
std::string jpeg_library_version();

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_CODEC_HPP
