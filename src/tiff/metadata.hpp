// Which fields of a TIFF describe the picture, and which only how its samples are stored.
//
// The first kind goes from the source to the result as it is. The second kind comes from the file
// that OpenImageIO wrote for the turned pixels, which lends nothing else: it would add the time of
// writing and rephrase texts.
#ifndef QTURN_SRC_TIFF_METADATA_HPP
#define QTURN_SRC_TIFF_METADATA_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/image.hpp"
#include "src/tiff/directories.hpp"

namespace qturn {

/// Why OpenImageIO would store the page differently; empty if it would not.
std::string tiff_storage_change(const TiffDirectory& page);

/// The page's fields but for where its samples lie.
TiffDirectory tiff_description(TiffDirectory page);

/// What another format can carry of a page's description.
Metadata tiff_metadata(const TiffDirectory& page);

/// The description of a picture from another format. What cannot be read of the Exif block is left
/// out.
TiffDirectory tiff_description(const Metadata& metadata);

/// One TIFF of the pages in `encoded`, a file each, with their descriptions, tagged upright.
/// `swapped`: the axes are, and so the resolution.
std::vector<std::byte> describe_tiff(std::span<const std::vector<std::byte>> encoded,
                                     const TiffFile& description, bool swapped);

}  // namespace qturn

#endif  // QTURN_SRC_TIFF_METADATA_HPP
