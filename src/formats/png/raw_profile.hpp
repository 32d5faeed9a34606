// Exif in a text chunk, as ImageMagick wrote it before PNG had eXIf: the keyword "Raw profile type
// exif" (or "APP1"), and as text a name, the number of bytes and those bytes in hexadecimal.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "src/formats/png/chunks.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::png {

/// Whether the chunk has such a keyword.
bool is_raw_exif(const PngChunk& chunk);

/// The Exif block, with or without signature; nothing if the text is damaged, or if it is not Exif.
std::optional<Bytes> raw_exif(const PngChunk& chunk);

/// The data of the chunk with another block in it.
Bytes with_raw_exif(const PngChunk& chunk, std::span<const std::byte> block);

}  // namespace qturn::png
