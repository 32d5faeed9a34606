// Photoshop's image resources: blocks with a number, in a JPEG's APP13 segments and in a TIFF's
// field 34377. Adobe Photoshop File Formats Specification, "Image Resources Section".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

namespace qturn {

/// Whether turn_photoshop_resources() is called for the resources, too.
enum class Resources : bool { stay, are_turned };

/// Adds what a turn does not keep true, clipping paths and thumbnails that cannot be turned, and
/// resources with numbers that nobody has described. What is damaged is not looked at.
void look_at_photoshop_resources(std::span<const std::byte> resources, Resources after_turn,
                                 Header& header);

/// The resources after the turn: the resolution goes with the axes, thumbnails are turned. One that
/// is damaged stays as it was, and `warnings` says so.
Bytes turn_photoshop_resources(std::span<const std::byte> resources, const MetadataTurn& turn,
                               std::vector<std::string>& warnings);

/// What a proof compares: the resources without the thumbnails that are turned, as they must be
/// after `applied`; and those thumbnails, which are JPEGs.
struct ResourceParts {
  Bytes rest;
  std::vector<std::span<const std::byte>> thumbnails;
};
ResourceParts parts_of_resources(std::span<const std::byte> resources, Orientation applied);

}  // namespace qturn
