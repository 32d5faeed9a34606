// PNG in the form it is stored in: bits a sample, palette, transparency and interlacing stay, and
// every chunk beside the pixels goes along.
//
// The chunks (chunks.hpp), the filters (filters.hpp) and the rows (rows.hpp) are small enough to be
// our own; decompression, compression and checksums, five sixths of the time, are libdeflate's
// (zlib.hpp). LodePNG with the same libdeflate behind it takes 2.4 times as long as this for the
// rest of decoding, and 5.2 s for filters that take 0.6 s here (docs/measurements/png.md); the
// tests compare with it.
#ifndef QTURN_SRC_PNG_CODEC_HPP
#define QTURN_SRC_PNG_CODEC_HPP

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"

namespace qturn {

/// As read_header. Nothing is decompressed, and dimensions that cannot come from so small a file
/// are damage.
Header read_png_header(std::span<const std::byte> file);

/// As decode. For `target` png the samples are those the file stores, palette indices and samples
/// of fewer than 8 bits a byte each; for others there are colours, at least 8 bits, and alpha.
Image decode_png(std::span<const std::byte> file, Format target, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// As encode, to PNG. A picture from another format has 8 or 16 bits a sample and 1 to 4 channels.
Bytes encode_png(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_PNG_CODEC_HPP
