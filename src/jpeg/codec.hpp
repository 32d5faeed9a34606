// JPEG through libjpeg-turbo: decoded to the samples the file stores, encoded from them with the
// file's own tables.
//
// A JPEG that stays a JPEG never passes through RGB. Chroma is replicated when decoded and averaged
// when encoded, which restores each sample exactly where the picture's blocks stay aligned; where
// an odd edge moves to the front, the average of two neighbours is the half-sample shift that the
// chroma needs.
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

/// Whether decode_jpeg keeps the file's own colour space and chroma samples, for encode_jpeg, or
/// gives grey or RGB, for another format. CMYK is refused in the second case.
enum class JpegSamples : std::uint8_t { as_stored, for_display };

/// As decode.
Image decode_jpeg(std::span<const std::byte> file, JpegSamples samples, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// As encode. A picture that was decoded `as_stored` is written with the file's sampling factors
/// and quantisation tables (both turned with the axes), progressive or not, with or without
/// optimised Huffman tables, restart markers, and every APPn and COM marker as it was but for the
/// orientation, which is 1. Any other picture, 8-bit grey or RGB, is written at quality 95 without
/// subsampling.
Bytes encode_jpeg(const Image& turned, Orientation applied, const std::atomic<bool>& stop);

/// As retag_upright.
std::optional<Bytes> retag_jpeg_upright(std::span<const std::byte> file);

/// "libjpeg-turbo 2.1.5".
std::string jpeg_library_version();

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_CODEC_HPP
