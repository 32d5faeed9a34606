// What the fields of a TIFF and of an Exif block say about the picture, by their tags: what a turn
// changes or does not concern, what it makes untrue, and what nobody knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/picture/image.hpp"

namespace qturn {

/// The directory that a field is in: a page of a TIFF; the first, the second or the Exif directory
/// of an Exif block, and the last of these in a TIFF.
enum class FieldsOf : std::uint8_t { tiff, exif, gps, interoperability };

/// Adds what the field holds that no turn keeps true, or that nobody knows. A MakerNote is neither:
/// the header says that there is one.
void look_at_field(FieldsOf directory, std::uint16_t tag, std::span<const std::byte> value,
                   Header& header);

/// The same for the fields of an Exif block, with or without signature. A directory that is damaged
/// is not looked at.
void look_at_exif(std::span<const std::byte> block, Header& header);

}  // namespace qturn
