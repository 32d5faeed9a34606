// WebP's pixels, through libwebp; the chunks beside them are ours (chunks.hpp).
//
// A lossless picture stays lossless, in every bit: libwebp is asked to keep the colours of
// transparent pixels too, which it would change otherwise because nobody sees them.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::webp {

extern const Codec codec;

/// Implements Codec::parts.
std::vector<FilePart> webp_parts(std::span<const std::byte> file, Orientation applied);

/// libwebp has the pixels of a lossless picture once more, in words.
inline constexpr std::uint64_t webp_decoding_bytes_per_pixel = 5;

/// The most memory that libwebp and the written file take, with or without loss: 34 bytes per pixel
/// of noise (1.2.4, 2026-11-22).
inline constexpr std::uint64_t webp_encoding_bytes_per_pixel = 36;

/// Implements Codec::read_header.
Header read_webp_header(std::span<const std::byte> file);

/// Implements Codec::decode: the picture has three channels, or four if it has an alpha channel.
Image decode_webp(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// Implements Codec::encode for 8 bits and 3 or 4 channels. The result is lossless, unless the
/// picture comes from a lossy WebP.
Bytes encode_webp(const Image& turned, Orientation applied, const std::atomic<bool>& stop);

/// "libwebp 1.2.4".
std::string webp_library_version();

}  // namespace qturn::webp
