// PBM, PGM, PPM and PFM, read and written here: OpenImageIO 2.4 reads 16-bit samples above 32,767 a
// little wrong, writes 8 bits only, and knows no PFM.
#ifndef QTURN_SRC_FORMATS_PNM_HPP
#define QTURN_SRC_FORMATS_PNM_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"

namespace qturn {

/// As read_header.
Header read_pnm_header(std::span<const std::byte> file);

/// As decode. Samples are scaled to the full range of 8 or 16 bits; bitmaps become grey.
/// Throws ImageFileError for a file with another picture behind the first.
Image decode_pnm(std::span<const std::byte> file, PixelArena& arena,
                 std::vector<std::string>& warnings);

/// As encode: 1 or 3 channels of 8 or 16 bits, or of floats. A picture that was a bitmap is written
/// as one. Throws ImageFileError for any other.
Bytes encode_pnm(const Image& image);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_PNM_HPP
