#include "src/formats/codec/jpeg_device.hpp"

namespace qturn {

std::vector<Orientation> orientations_of(const JpegRequest& request) {
  std::vector<Orientation> all;
  if (const auto* planar = std::get_if<PlanarRequest>(&request)) {
    for (const PlanarRequest::Output& output : planar->outputs) all.push_back(output.orientation);
  } else {
    for (const JpegScanTurn& turn : std::get<ScanRequest>(request).turns) {
      all.push_back(turn.orientation);
    }
  }
  return all;
}

}  // namespace qturn
