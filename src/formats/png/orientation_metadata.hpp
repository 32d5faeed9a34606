// The orientation metadata of a PNG: eXIf and the XMP packet. (chunks.hpp turns its pixel sizes and
// its place on a page.)
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/png/chunks.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::png {

/// The PNG with its metadata after the turn. Every other byte is as it was, also after its end. If
/// it has no orientation and `missing` asks for one, an eXIf chunk is added before the pixels.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError if the
/// orientation can neither be set nor proved missing.
std::vector<std::byte> turn_png_metadata(std::vector<std::byte> file, const MetadataTurn& turn,
                                         MissingTag missing, std::vector<std::string>& warnings);

// Exif in a text chunk, as ImageMagick wrote it before PNG had eXIf: the keyword "Raw profile type
// exif" (or "APP1"), and as text a name, the number of bytes and those bytes in hexadecimal.

/// Whether the chunk has a keyword of raw Exif.
bool is_raw_exif(const PngChunk& chunk);

/// The Exif block, with or without signature; nothing if the text is damaged, or if it is not Exif.
std::optional<Bytes> raw_exif(const PngChunk& chunk);

/// The data of the chunk with another block in it.
Bytes with_raw_exif(const PngChunk& chunk, std::span<const std::byte> block);

// XMP: an iTXt chunk with the keyword "XML:com.adobe.xmp", compressed or not.

bool is_png_xmp(const PngChunk& chunk);

/// The packet; empty if the chunk is damaged.
std::string png_xmp(const PngChunk& chunk);

/// Adds what the chunks hold that a turn does not keep true, and chunks that nobody knows.
void look_at_chunks(const std::vector<PngChunk>& chunks, Header& header);

}  // namespace qturn::png
