// OME-XML, which microscopes write into the description of a page.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "src/picture/image.hpp"

namespace qturn::tiff {

/// What of a description depends on where pixels lie; nothing if it is not OME-XML.
std::vector<PlacedMetadata> placed_in_ome(std::string_view description);

/// Exchanges the numbers of pixels of both axes, and their physical sizes, where they lie. If it is
/// damaged it stays as it was.
void exchange_axes_in_ome(std::span<std::byte> description);

}  // namespace qturn::tiff
