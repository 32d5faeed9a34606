// The carriers of a PNG: eXIf and the XMP packet. (Its pixel sizes and its place on a page are
// turned where the file is put together.)
#ifndef QTURN_SRC_PNG_CARRIERS_HPP
#define QTURN_SRC_PNG_CARRIERS_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/exif_turn.hpp"
#include "src/carriers/turn.hpp"

namespace qturn {

/// The PNG with its carriers after the turn, every other byte as it was, also behind its end. Where
/// it has no orientation and `missing` asks for it, an eXIf chunk is added before the pixels.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError when the
/// orientation can neither be set nor proved absent.
std::vector<std::byte> turn_png_carriers(std::vector<std::byte> file, const CarrierTurn& turn,
                                         MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_PNG_CARRIERS_HPP
