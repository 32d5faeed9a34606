// Which fields of a TIFF describe the picture, and which only how its samples are stored.
//
// If a picture comes from another format or goes to one, the first kind goes with it as Exif.
#ifndef QTURN_SRC_FORMATS_TIFF_METADATA_HPP
#define QTURN_SRC_FORMATS_TIFF_METADATA_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "src/picture/header.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {

/// Whether it says where on a map the picture lies, which is not turned.
bool is_georeferenced(const TiffDirectory& page);

/// What of the directory a turn leaves as it is, although it depends on where pixels lie: map
/// coordinates, regions, the sizes and axes that microscopes and tifffile state as text.
std::vector<PlacedMetadata> placed_metadata(const TiffDirectory& page);

/// What another format can carry of the description of a TIFF's first page.
Metadata tiff_metadata(const TiffFile& tiff, std::vector<std::string>& warnings);

/// The description of a picture from another format, as a page without pixels. What cannot be read
/// of the Exif block is left out, and `warnings` says so.
TiffFile tiff_description(const Metadata& metadata, std::vector<std::string>& warnings);

}  // namespace qturn::tiff

#endif  // QTURN_SRC_FORMATS_TIFF_METADATA_HPP
