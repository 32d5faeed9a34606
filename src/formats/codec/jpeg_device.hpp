// A device that turns JPEGs, a GPU: compressed bytes go in, compressed bytes come out. It does what
// jpeg/lossless.hpp or jpeg/planar.hpp does on the CPU.
#ifndef QTURN_SRC_FORMATS_CODEC_JPEG_DEVICE_HPP
#define QTURN_SRC_FORMATS_CODEC_JPEG_DEVICE_HPP

#include <qturn/jpeg_cuda.hpp>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/spare_bytes.hpp"

namespace qturn {

/// The file for an output, in memory from `spare`: what the device has made, with the markers of
/// the source. Throws ImageFileError if the device made something else than it was told. For any
/// thread.
using FinishJpeg =
    std::function<Bytes(std::size_t output, std::span<const std::byte> made, SpareBytes& spare)>;

/// A baseline JPEG of Y, Cb and Cr in one scan, known to be whole, and what to make of it.
struct PlanarRequest {
  struct Output {
    Orientation orientation = Orientation::identity;
    /// A JPEG of a few pixels that has the quantisation tables which the result is to have.
    Bytes tables;
  };
  std::span<const std::byte> file;
  std::span<const std::byte> header;  ///< its beginning, up to the data of the scan
  Size size;
  int h = 2, v = 2;        ///< luma pixels that share a chroma sample along each axis: 1 or 2
  bool optimised = false;  ///< whether Huffman tables are made for the picture
  std::vector<Output> outputs;
  FinishJpeg finish = {};  ///< of a JPEG that has markers of the device's own
};

/// The entropy-coded data of a JPEG that has one scan, and the turns to make of it, losslessly. It
/// may be damaged.
struct ScanRequest {
  std::span<const std::byte> data;  ///< with the marker of its end
  std::vector<JpegScanTurn> turns;  ///< one for each output; without memory
  FinishJpeg finish = {};           ///< of the turned data, with the marker of its end
};

using JpegRequest = std::variant<PlanarRequest, ScanRequest>;

/// Those of the outputs, in order.
std::vector<Orientation> orientations_of(const JpegRequest& request);

class JpegDevice {
 public:
  virtual ~JpegDevice() = default;

  /// The files in the order of the outputs. Nothing if the device cannot take this file. Blocks;
  /// several files at a time go best. A device takes requests of one kind.
  ///
  /// Throws Interrupted when the run is given up; CudaError when the device fails; as `finish`.
  virtual std::optional<std::vector<Bytes>> turn(const JpegRequest& request) = 0;

  /// Whether so much waits here already that another file would not be missed.
  virtual bool is_busy() = 0;

  /// False while no file can be taken.
  virtual bool is_of_use() = 0;

  /// Why a device could not start; empty if none failed, or if this was asked since then.
  virtual std::string take_problem() = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_CODEC_JPEG_DEVICE_HPP
