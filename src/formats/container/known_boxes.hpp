// What the boxes of HEIC, AVIF, JPEG XL and JPEG 2000 hold besides the picture, by their types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/picture/image.hpp"

namespace qturn {

/// Where a box is: in a HEIC or AVIF itself, in its metadata box, among the properties of its
/// items; an item counts as a box of its type. In the movie of a sequence, and in a track, whose
/// handler counts as one. In a JPEG XL, in a JPEG 2000, and in its header.
enum class BoxesOf : std::uint8_t {
  heif,
  heif_metadata,
  heif_properties,
  heif_items,
  heif_movie,
  heif_tracks,
  jxl,
  jp2
};

/// Adds what a box holds that no turn keeps true, or that nobody knows: "HEIF abcd". A box of the
/// type "uuid" begins with its name, and is known by that.
void look_at_box(BoxesOf boxes, std::string_view type, std::span<const std::byte> content,
                 Header& header);

}  // namespace qturn
