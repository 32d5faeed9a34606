// GIF, also animated. Pixels are indices, so a turn is exact: every frame is decompressed, moved
// and compressed again, and everything else is copied (blocks.hpp). The compression is giflib's
// (lzw.hpp).
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::gif {

extern const Codec codec;

/// Implements Codec::parts.
std::vector<FilePart> gif_parts(std::span<const std::byte> file, Orientation applied);

/// Implements Codec::read_header. Each frame is a page.
Header read_gif_header(std::span<const std::byte> file);

/// Implements Codec::decode. As stored, pixels are indices. For another format there are colours,
/// and alpha where some pixels are transparent; an animation is refused.
Image decode_gif(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// Implements Codec::encode for a picture that was a GIF.
Bytes encode_gif(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings);

/// Implements Codec::finish: it writes the XMP packet.
Bytes finish_gif(Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings);

}  // namespace qturn::gif
