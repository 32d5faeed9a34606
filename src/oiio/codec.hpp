// The formats without a codec of their own, through OpenImageIO (2.4 and 3.1).
//
// OpenImageIO moves the pixels; what it would change on the way (alpha multiplied in, CMYK made
// RGB, metadata rephrased, the time of writing added) is turned off or put right here. Damage that
// it passes over is looked for before it is asked to decode.
#ifndef QTURN_SRC_OIIO_CODEC_HPP
#define QTURN_SRC_OIIO_CODEC_HPP

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"

namespace qturn {

/// As read_header.
Header read_oiio_header(std::span<const std::byte> file, Format format);

/// As decode; the samples are those the file stores, but for a BMP's reserved bytes, which no other
/// format gets.
Image decode_oiio(std::span<const std::byte> file, Format format, Format target, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// As encode. `target` may differ from the format that the picture was read from; then samples are
/// kept as they are, or it is refused.
Bytes encode_oiio(const Image& turned, Orientation applied, Format target,
                  const std::atomic<bool>& stop);

/// Throws ImageFileError where `target`, a format that the picture was not read from, cannot hold
/// its pages and samples as they are.
void check_conversion(const Image& image, Format target);

/// "OpenImageIO 2.4.7.1".
std::string oiio_library_version();

}  // namespace qturn

#endif  // QTURN_SRC_OIIO_CODEC_HPP
