// A device that turns JPEGs, a GPU: compressed bytes go in, compressed bytes come out. It does what
// jpeg/lossless.hpp or jpeg/planar.hpp does on the CPU, with the same bytes.
#ifndef QTURN_SRC_FORMATS_CODEC_JPEG_DEVICE_HPP
#define QTURN_SRC_FORMATS_CODEC_JPEG_DEVICE_HPP

#include <qturn/jpeg_cuda.hpp>
#include <qturn/jpeg_planar_cuda.hpp>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/spare_bytes.hpp"

namespace qturn {

/// What a device has made of an output.
struct JpegMade {
  std::span<const std::byte> data;           ///< turned, with the marker of its end
  const JpegPlanarResult* planar = nullptr;  ///< its Huffman tables, if it was turned by planes
};

/// The file for an output, in memory from `spare`: what the device has made, with the markers of
/// the source. For any thread.
using FinishJpeg =
    std::function<Bytes(std::size_t output, const JpegMade& made, SpareBytes& spare)>;

/// The entropy-coded data of a JPEG that has one scan, and the turns to make of it. It may be
/// damaged. Outputs are numbered: those that are turned losslessly, then those by planes.
struct JpegRequest {
  std::span<const std::byte> data;     ///< with the marker of its end
  std::vector<JpegScanTurn> lossless;  ///< without memory
  std::vector<JpegPlanarTurn> planar;  ///< without memory
  FinishJpeg finish = {};

  std::size_t outputs() const { return lossless.size() + planar.size(); }
};

/// Those of the outputs, in order.
std::vector<Orientation> orientations_of(const JpegRequest& request);

class JpegDevice {
 public:
  virtual ~JpegDevice() = default;

  /// The files in the order of the outputs. Nothing if the device cannot take this file. Blocks;
  /// several files at a time go best.
  ///
  /// Throws Interrupted when the run is given up; CudaError when the device fails.
  virtual std::optional<std::vector<Bytes>> turn(const JpegRequest& request) = 0;

  /// False while no file can be taken.
  virtual bool is_of_use() = 0;

  /// Why a device could not start; empty if none failed, or if this was asked since then.
  virtual std::string take_problem() = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_CODEC_JPEG_DEVICE_HPP
