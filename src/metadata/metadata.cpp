#include "src/metadata/metadata.hpp"

#include <limits>
#include <utility>

#include "src/metadata/exif_turn.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn {

Metadata turn_metadata(Metadata metadata, const MetadataTurn& turn,
                       std::vector<std::string>& warnings) {
  if (!metadata.exif.empty()) {
    metadata.exif = turn_exif(metadata.exif, turn, MissingTag::stays_absent,
                              std::numeric_limits<std::uint32_t>::max(), warnings);
  }
  if (metadata.resolution && swaps_axes(turn.pixels)) {
    std::swap(metadata.resolution->x, metadata.resolution->y);
  }
  if (!metadata.xmp.empty()) {
    warn_of_other_orientation(metadata.xmp, turn.stored, warnings);
    metadata.xmp = turn_xmp(metadata.xmp, turn, warnings);
  }
  return metadata;
}

}  // namespace qturn
