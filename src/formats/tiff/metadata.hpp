// Which fields of a TIFF describe the picture, and which only how its samples are stored.
//
// If a picture comes from another format or goes to one, the first kind goes with it as Exif.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "src/metadata/exif.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {

/// Whether it says where on a map the picture lies.
bool is_georeferenced(const TiffDirectory& page);

/// Adds what the fields of a page hold, or of another directory, and of those below it, that no
/// turn keeps true or that no table knows.
void look_at_fields(const TiffDirectory& page, Header& header, FieldsOf directory = FieldsOf::tiff);

/// What another format can carry of the description of a TIFF's first page.
Metadata tiff_metadata(const TiffFile& tiff, std::vector<std::string>& warnings);

/// The description of a picture from another format, as a page without pixels. What cannot be read
/// of the Exif block is left out, and `warnings` says so.
TiffFile tiff_description(const Metadata& metadata, std::vector<std::string>& warnings);

}  // namespace qturn::tiff
