// The thumbnail that the second directory of an Exif block describes, turned along with its
// picture.
#ifndef QTURN_SRC_CARRIERS_EXIF_THUMBNAIL_HPP
#define QTURN_SRC_CARRIERS_EXIF_THUMBNAIL_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/turn.hpp"

namespace qturn {

/// Turns the thumbnail of the TIFF structure `body`, if it has one. It is written where it was if
/// it fits there, else behind the end, up to `max_bytes`; then `body` grows. Several strips become
/// one. A thumbnail that is damaged, does not fit or is stored in another way than as a JPEG or as
/// pixels without compression is left out (nothing leads to it any more), and `warnings` says so.
void turn_thumbnail(std::vector<std::byte>& body, const CarrierTurn& turn, std::size_t max_bytes,
                    std::vector<std::string>& warnings);

/// The size that a JPEG's frame header says; nothing if there is none.
std::optional<Size> jpeg_size(std::span<const std::byte> jpeg);

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_EXIF_THUMBNAIL_HPP
