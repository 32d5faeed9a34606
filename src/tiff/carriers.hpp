// The carriers of a TIFF: each page's orientation and XMP packet, its Exif directory, and the
// orientation of its pictures in sub-directories. (The
// resolution is turned where the pages are described.)
#ifndef QTURN_SRC_TIFF_CARRIERS_HPP
#define QTURN_SRC_TIFF_CARRIERS_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/exif_turn.hpp"
#include "src/carriers/turn.hpp"

namespace qturn {

/// The TIFF or BigTIFF with its carriers after the turn, patched where they lie; `turn.size` does
/// not count, each page has its own. Where a page has no orientation and `missing` asks for it, its
/// directory is copied behind the end of the file with one.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError when an
/// orientation can neither be set nor proved absent.
std::vector<std::byte> turn_tiff_carriers(std::vector<std::byte> file, const CarrierTurn& turn,
                                          MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_TIFF_CARRIERS_HPP
