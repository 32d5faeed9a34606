// What one format tells another about a picture, after a turn.
#ifndef QTURN_SRC_CARRIERS_METADATA_HPP
#define QTURN_SRC_CARRIERS_METADATA_HPP

#include <string>
#include <vector>

#include "src/carriers/turn.hpp"
#include "src/formats/image.hpp"

namespace qturn {

/// The Exif block and the XMP packet turned; all else as it was.
Metadata turn_metadata(Metadata metadata, const CarrierTurn& turn,
                       std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_CARRIERS_METADATA_HPP
