// The sizes of JPEGs inside other files.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace qturn {

/// The size that a JPEG's frame header says; nothing if there is no such header.
std::optional<Size> jpeg_size(std::span<const std::byte> jpeg);

/// The same for a thumbnail, for which no memory is planned. Throws ImageFileError if it is not a
/// JPEG, or is larger than thumbnails are.
Size jpeg_thumbnail_size(std::span<const std::byte> jpeg);

}  // namespace qturn
