// The thumbnail that the second directory of an Exif block describes, and sizes of JPEGs inside
// other files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"

namespace qturn {

inline constexpr std::uint16_t thumbnail_strip_offsets = 273;

/// Turns the thumbnail of the TIFF structure `body`, if it has one. It is written to its old place
/// if it fits there, otherwise after the end, up to `max_bytes`; then `body` grows. Several strips
/// become one. A thumbnail is left out (nothing points to it any more), with a warning, if it is
/// damaged, does not fit, or is stored neither as a JPEG nor as uncompressed pixels.
void turn_thumbnail(std::vector<std::byte>& body, const MetadataTurn& turn, std::size_t max_bytes,
                    std::vector<std::string>& warnings);

// The sizes of JPEGs inside other files.

/// The size that a JPEG's frame header says; nothing if there is no such header.
std::optional<Size> jpeg_size(std::span<const std::byte> jpeg);

/// The same of a JPEG or a PNG.
std::optional<Size> embedded_size(std::span<const std::byte> picture);

/// The same as jpeg_size() for a thumbnail, for which no memory is planned. Throws ImageFileError
/// if it is not a JPEG, or is larger than thumbnails are.
Size jpeg_thumbnail_size(std::span<const std::byte> jpeg);

}  // namespace qturn
