#include "src/formats/codec/jpeg_device.hpp"

namespace qturn {

std::vector<Orientation> orientations_of(const JpegRequest& request) {
  std::vector<Orientation> all;
  for (const JpegScanTurn& turn : request.lossless) all.push_back(turn.orientation);
  for (const JpegPlanarTurn& turn : request.planar) all.push_back(turn.orientation);
  return all;
}

}  // namespace qturn
