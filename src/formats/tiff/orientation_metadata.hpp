// The orientation metadata of a TIFF: each page's orientation and XMP packet, its Exif directory,
// and the orientation of its pictures in sub-directories. (storage.hpp turns the resolution.)
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/exif_turn.hpp"
#include "src/metadata/metadata_turn.hpp"

namespace qturn::tiff {

/// The XMP packet of the first page, or nothing.
std::string_view tiff_xmp(std::span<const std::byte> file);

/// What became of a page that is stored in another orientation than the first one: it was turned by
/// its own, or its tag says the rest.
enum class OtherPages : bool { are_turned, are_tagged };

/// The TIFF or BigTIFF, whose pages still have their old tags, with its orientation metadata after
/// the turn, patched where it lies. `turn` is the first page's; `turn.size` does not count, each
/// page has its own. Where a page has no orientation and `missing` asks for it, its directory is
/// copied after the end of the file with one.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError when an
/// orientation can neither be set nor proved absent.
std::vector<std::byte> turn_tiff_metadata(std::vector<std::byte> file, const MetadataTurn& turn,
                                          OtherPages others, MissingTag missing,
                                          std::vector<std::string>& warnings);

}  // namespace qturn::tiff
