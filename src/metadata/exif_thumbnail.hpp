// Turns the thumbnail that the second directory of an Exif block describes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"

namespace qturn {

/// Turns the thumbnail of the TIFF structure `body`, if it has one. It is written to its old place
/// if it fits there, otherwise after the end, up to `max_bytes`; then `body` grows. Several strips
/// become one. A thumbnail is left out (nothing points to it any more), with a warning, if it is
/// damaged, does not fit, or is stored neither as a JPEG nor as uncompressed pixels.
void turn_thumbnail(std::vector<std::byte>& body, const MetadataTurn& turn, std::size_t max_bytes,
                    std::vector<std::string>& warnings);

}  // namespace qturn
