// Photoshop's image resources: blocks with a number, in a JPEG's APP13 segments and in a TIFF's
// field 34377. Adobe Photoshop File Formats Specification, "Image Resources Section".
#pragma once

#include <cstddef>
#include <span>

#include "src/picture/image.hpp"

namespace qturn {

/// Adds what a turn does not keep true, clipping paths, and resources with numbers that nobody has
/// described. What is damaged is not looked at.
void look_at_photoshop_resources(std::span<const std::byte> resources, Header& header);

}  // namespace qturn
