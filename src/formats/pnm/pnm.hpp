// PBM, PGM, PPM, PAM and PFM, read and written here: every sample, the largest value and the scale
// of floats stay as they are.
#ifndef QTURN_SRC_FORMATS_PNM_PNM_HPP
#define QTURN_SRC_FORMATS_PNM_PNM_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::pnm {

extern const Codec codec;

/// Implements Codec::read_header.
Header read_pnm_header(std::span<const std::byte> file);

/// Implements Codec::decode. Bitmaps become grey. For another format, samples are scaled to the
/// full range of 8 or 16 bits. Throws ImageFileError for a file with another picture after the
/// first.
Image decode_pnm(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// Implements Codec::encode. A picture from another format has 1 or 3 channels of 8 or 16 bits.
Bytes encode_pnm(const Image& image, const std::atomic<bool>& stop);

}  // namespace qturn::pnm

#endif  // QTURN_SRC_FORMATS_PNM_PNM_HPP
