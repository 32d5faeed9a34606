// Exif and XMP of formats that state the orientation elsewhere, where readers must obey it. What
// Exif and XMP say is ignored by those; but other programs look there first.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/metadata_check.hpp"

namespace qturn {

/// The content of an Exif item or an Exif box, which begins with the offset of Exif's TIFF header.
std::span<const std::byte> exif_item_body(std::span<const std::byte> content);

/// What it says, if anything. (XMP: orientation_of_xmp().)
std::optional<Orientation> exif_item_says(std::span<const std::byte> content);

/// Set what they say, if they say anything, where it lies. `is_turned`: the picture is shown
/// turned, so `warnings` tells of what else depends on it. Throws ImageFileError where there is no
/// room.
void set_exif_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                   std::vector<std::string>& warnings);
void set_xmp_item(std::span<std::byte> content, Orientation orientation, bool is_turned,
                  std::vector<std::string>& warnings);

struct IgnoredOrientation {
  const char* where;  ///< "Exif"
  Orientation says;
};

/// Each should be 1, or repeat how the picture is turned, as phones do.
void check_ignored(const std::vector<IgnoredOrientation>& all, Orientation shown,
                   MetadataCheck& check);

}  // namespace qturn
