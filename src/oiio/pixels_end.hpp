// Where the pixels of a picture end, for formats whose readers in OpenImageIO do not tell.
#ifndef QTURN_SRC_OIIO_PIXELS_END_HPP
#define QTURN_SRC_OIIO_PIXELS_END_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace qturn {

/// Of a Windows or OS/2 bitmap, by its header; where its colour profile ends if that comes later.
/// The file's size where the header does not tell; more than that where the file is cut.
std::uint64_t bmp_pixels_end(std::span<const std::byte> file);

/// Of a Radiance picture whose resolution stands at `at`, by its scanlines' run lengths. The file's
/// size where they make no sense; more than that where the file is cut.
std::uint64_t hdr_pixels_end(std::span<const std::byte> file, std::size_t at);

}  // namespace qturn

#endif  // QTURN_SRC_OIIO_PIXELS_END_HPP
