// Turns a thumbnail that Exif stores without compression: grey, RGB or YCbCr, in strips.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/metadata/metadata_turn.hpp"
#include "src/metadata/thumbnail_fields.hpp"

namespace qturn {

inline constexpr std::uint16_t thumbnail_strip_offsets = 273;

/// Turns it, and returns how. Several strips become one, or one per plane. Throws ImageFileError if
/// it is damaged, of another kind, or does not fit into `max_bytes`.
Orientation turn_thumbnail_pixels(ThumbnailFields& fields, const MetadataTurn& turn,
                                  std::size_t max_bytes);

}  // namespace qturn
