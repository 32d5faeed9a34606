// A device that turns JPEGs, a GPU: compressed bytes go in, compressed bytes come out. It does what
// jpeg/lossless.hpp or jpeg/planar.hpp does on the CPU, with the same bytes.
#pragma once

#include <qturn/jpeg_cuda.hpp>
#include <qturn/jpeg_header.hpp>
#include <qturn/jpeg_planar_cuda.hpp>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/file_bytes.hpp"

namespace qturn {

/// What comes before the data of an output: the markers of the source, turned. `planar` has the
/// Huffman tables of one that was turned by planes; otherwise it is null. For any thread.
using JpegHead = std::function<Bytes(std::size_t output, const JpegPlanarResult* planar)>;

/// The entropy-coded data of a JPEG that has one scan, and the turns to make of it. It may be
/// damaged. Outputs are numbered: first the lossless turns, then the turns by planes.
struct JpegRequest {
  std::span<const std::byte> data;     ///< what follows the marker of its end may be there, too
  std::vector<JpegScanTurn> lossless;  ///< without memory
  std::vector<JpegPlanarTurn> planar;  ///< without memory
  JpegHead head = {};
  std::size_t head_bytes = 0;  ///< the most that a head has

  std::size_t outputs() const { return lossless.size() + planar.size(); }
};

/// A JPEG that a device can decode to RGB, grey included.
struct JpegToDecode {
  JpegHeader header;
  Orientation stored = Orientation::identity;
};

/// What a device has made of a request.
struct JpegMade {
  std::vector<FileBytes> pictures;  ///< by output: from the first marker to the end's
  std::size_t data_bytes = 0;       ///< of the request's data, with the marker of its end
};

/// The orientations of the outputs, in order.
inline std::vector<Orientation> orientations_of(const JpegRequest& request) {
  std::vector<Orientation> all;
  for (const JpegScanTurn& turn : request.lossless) all.push_back(turn.orientation);
  for (const JpegPlanarTurn& turn : request.planar) all.push_back(turn.orientation);
  return all;
}

class JpegDevice {
 public:
  virtual ~JpegDevice() = default;

  /// Nothing if the device cannot take this file. Blocks; several files at a time go best.
  ///
  /// Throws Interrupted when the run is given up.
  virtual std::optional<JpegMade> turn(const JpegRequest& request) = 0;

  /// Memory for a file of so many bytes. The device reads fastest from it, if such memory is left.
  virtual FileBytes memory(std::size_t bytes) = 0;

  /// False while no file can be taken.
  virtual bool is_of_use() = 0;

  /// Why a device could not be used, a sentence; empty if none failed, or if this was asked since
  /// then.
  virtual std::string take_problem() = 0;
};

}  // namespace qturn
