// PNG in the form it is stored in: bits per sample, palette, transparency and interlacing stay, and
// every chunk besides the pixels is kept.
//
// The chunks (chunks.hpp), and the rows with their filters (rows.hpp), are small enough to be our
// own. libdeflate does decompression, compression and checksums, five sixths of the time
// (zlib.hpp). LodePNG with the same libdeflate takes 2.4 times as long as this for the rest of
// decoding, and 5.2 s for filters that take 0.6 s here (docs/measurements/png.md); the tests
// compare with it.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::png {

/// Implements Codec::parts.
std::vector<FilePart> png_parts(std::span<const std::byte> file, Orientation applied);

/// Implements Codec::read_header. Nothing is decompressed, and dimensions that cannot come from so
/// small a file are damage.
Header read_png_header(std::span<const std::byte> file);

/// Implements Codec::decode. As stored, palette indices and samples of fewer than 8 bits are a byte
/// each; for another format there are colours, at least 8 bits, and alpha.
Image decode_png(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// Implements Codec::decode_otherwise, by zlib.
Image decode_png_otherwise(std::span<const std::byte> file, PixelArena& arena,
                           const std::atomic<bool>& stop);

/// These implement Codec::read_damaged_header and Codec::salvage. They keep the rows before the
/// damage; the rest is zero.
Header read_damaged_png_header(std::span<const std::byte> file);
Image salvage_png(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings);

/// Implements Codec::encode. A picture from another format has 8 or 16 bits per sample and 1 to 4
/// channels.
Bytes encode_png(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings);

// What goes from the decoder of a PNG to its encoder besides the pixels.

struct PngExtras final : Extras {
  PngHeader header;
  std::vector<std::byte> skeleton;  ///< png_skeleton; empty where the samples are not as stored
};

}  // namespace qturn::png
