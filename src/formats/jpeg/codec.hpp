// JPEG to pixels and back through libjpeg-turbo, for pictures that become or were of another
// format. A JPEG that stays one is turned as it is stored: lossless.hpp, planar.hpp.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

/// Implements Codec::parts.
std::vector<FilePart> jpeg_parts(std::span<const std::byte> file, Orientation applied);

/// Implements Codec::read_header.
Header read_jpeg_header(std::span<const std::byte> file);

/// Implements Codec::decode: the picture becomes grey or RGB. CMYK is refused.
Image decode_jpeg(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// Implements Codec::decode_pixels. Of CMYK, 255 is full ink.
Image decode_jpeg_pixels(std::span<const std::byte> file, const Limits& limits, PixelArena& arena,
                         const std::atomic<bool>& stop);

/// Implements Codec::device_decoding.
std::optional<JpegToDecode> jpeg_to_decode(std::span<const std::byte> file, const Limits& limits);

/// Implements Codec::salvage: the result is what libjpeg makes of the file.
Image salvage_jpeg(std::span<const std::byte> file, PixelArena& arena,
                   const std::atomic<bool>& stop);

/// Implements Codec::encode for 8-bit grey or RGB, at the image's quality or 95, without
/// subsampling.
Bytes encode_jpeg(const Image& turned, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// "libjpeg-turbo 2.1.5".
std::string jpeg_library_version();

}  // namespace qturn::jpeg
