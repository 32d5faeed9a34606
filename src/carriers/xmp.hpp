// What a turn changes in an XMP packet: tiff:Orientation, the sizes, the resolution, the subject's
// place and the regions that programs draw around faces. It is text that is edited where it stands;
// the padding that a packet ends with takes up what became longer or shorter, so that the packet
// keeps its length where it can.
#ifndef QTURN_SRC_CARRIERS_XMP_HPP
#define QTURN_SRC_CARRIERS_XMP_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/carriers/turn.hpp"

namespace qturn {

/// The packet after the turn. One that is no XML stays as it was, and `warnings` says so.
std::string turn_xmp(std::string_view packet, const CarrierTurn& turn,
                     std::vector<std::string>& warnings);

/// What a packet says that concerns orientation.
struct XmpSays {
  std::optional<std::string> orientation, width, height;  ///< as written
  std::string extended;         ///< the name of the extended packet that belongs to it
  bool names_manifest = false;  ///< it tells where a manifest (C2PA) of the file is kept
};
/// Throws ImageFileError where it is no XML.
XmpSays read_xmp(std::string_view packet);

/// One of the pictures, or something else, that a file's directory (Google's Container) lists.
struct ContainerItem {
  std::string mime, semantic;
  std::uint64_t length = 0, padding = 0;
};
std::vector<ContainerItem> container_items(std::string_view packet);

/// The packet with those lengths, one for each item, and with another name of its extended packet,
/// if that is not empty.
std::string with_container_lengths(std::string_view packet,
                                   const std::vector<std::uint64_t>& lengths);
std::string with_extended_name(std::string_view packet, std::string_view name);

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_XMP_HPP
