// The orientation metadata of a WebP: its EXIF and XMP chunks.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"

namespace qturn::webp {

/// The WebP with its metadata after the turn. Every other chunk is as it was. If it has no
/// orientation and `missing` asks for one, an EXIF chunk is added.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError if the
/// orientation can neither be set nor proved missing.
std::vector<std::byte> turn_webp_metadata(std::vector<std::byte> file, const MetadataTurn& turn,
                                          MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn::webp
