#include "src/carriers/metadata.hpp"

#include <limits>

#include "src/carriers/exif_turn.hpp"
#include "src/carriers/xmp.hpp"

namespace qturn {

Metadata turn_metadata(Metadata metadata, const CarrierTurn& turn,
                       std::vector<std::string>& warnings) {
  if (!metadata.exif.empty()) {
    metadata.exif = turn_exif(metadata.exif, turn, MissingTag::stays_absent,
                              std::numeric_limits<std::uint32_t>::max(), warnings);
  }
  if (!metadata.xmp.empty()) metadata.xmp = turn_xmp(metadata.xmp, turn, warnings);
  return metadata;
}

}  // namespace qturn
