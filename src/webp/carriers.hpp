// The carriers of a WebP: its EXIF and XMP chunks.
#ifndef QTURN_SRC_WEBP_CARRIERS_HPP
#define QTURN_SRC_WEBP_CARRIERS_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/exif_turn.hpp"
#include "src/carriers/turn.hpp"

namespace qturn {

/// The WebP with its carriers after the turn, every other chunk as it was. Where it has no
/// orientation and `missing` asks for it, an EXIF chunk is added.
///
/// What is damaged stays as it was, and `warnings` says so. Throws ImageFileError when the
/// orientation can neither be set nor proved absent.
std::vector<std::byte> turn_webp_carriers(std::vector<std::byte> file, const CarrierTurn& turn,
                                          MissingTag missing, std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_WEBP_CARRIERS_HPP
