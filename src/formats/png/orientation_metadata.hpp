// The orientation metadata of a PNG: eXIf and the XMP packet. (chunks.hpp turns its pixel sizes and
// its place on a page.)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"

namespace qturn::png {

/// The PNG with its metadata after the turn. Every other byte is as it was, also after its end. If
/// it has no orientation and `missing` asks for one, an eXIf chunk is added before the pixels.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError if the
/// orientation can neither be set nor proved missing.
std::vector<std::byte> turn_png_metadata(std::vector<std::byte> file, const MetadataTurn& turn,
                                         MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn::png
