// Which fields of a TIFF describe the picture, and which only how its samples are stored.
//
// Where a picture comes from another format or goes to one, the first kind is taken along as Exif.
// The second kind comes from the file that OpenImageIO wrote for the pixels, which lends nothing
// else: it would add the time of writing and rephrase texts.
#ifndef QTURN_SRC_TIFF_METADATA_HPP
#define QTURN_SRC_TIFF_METADATA_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/image.hpp"
#include "src/tiff/directories.hpp"

namespace qturn {

/// Whether it says where on a map the picture lies, which is not turned.
bool is_georeferenced(const TiffDirectory& page);

/// What another format can carry of a page's description.
Metadata tiff_metadata(const TiffDirectory& page);

/// The description of a picture from another format. What cannot be read of the Exif block is left
/// out.
TiffDirectory tiff_description(const Metadata& metadata);

/// One TIFF of the pages in `encoded`, a file each, with the description.
std::vector<std::byte> describe_tiff(std::span<const std::vector<std::byte>> encoded,
                                     const TiffDirectory& description);

}  // namespace qturn

#endif  // QTURN_SRC_TIFF_METADATA_HPP
