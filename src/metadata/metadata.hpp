// What one format tells another about a picture, after a turn.
#ifndef QTURN_SRC_METADATA_METADATA_HPP
#define QTURN_SRC_METADATA_METADATA_HPP

#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"
#include "src/picture/image.hpp"

namespace qturn {

/// The Exif block, the XMP packet and the resolution turned; all else as it was.
Metadata turn_metadata(Metadata metadata, const MetadataTurn& turn,
                       std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_METADATA_METADATA_HPP
