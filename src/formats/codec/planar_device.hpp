// A device that decodes JPEGs to their planes, turns the planes and encodes them again: what
// jpeg/planar.hpp does on the CPU, on a GPU. Compressed bytes go in, compressed bytes come out.
#ifndef QTURN_SRC_FORMATS_CODEC_PLANAR_DEVICE_HPP
#define QTURN_SRC_FORMATS_CODEC_PLANAR_DEVICE_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/spare_bytes.hpp"

namespace qturn {

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
  /// The file for an output, in memory from `spare`: what the device has made, which has markers of
  /// its own, with those of the source. Throws ImageFileError if it made something else than it was
  /// told. For any thread.
  std::function<Bytes(std::size_t output, std::span<const std::byte> made, SpareBytes& spare)>
      finish = {};
};

class PlanarDevice {
 public:
  virtual ~PlanarDevice() = default;

  /// The files in the order of the outputs. Nothing if the device cannot take this file. Blocks;
  /// several files at a time go best.
  ///
  /// Throws Interrupted when the run is given up; CudaError when the device fails; as finish().
  virtual std::optional<std::vector<Bytes>> turn(const PlanarRequest& request) = 0;

  /// Whether so much waits here already that another file would not be missed.
  virtual bool is_busy() = 0;

  /// False while no file can be taken.
  virtual bool is_of_use() = 0;

  /// Why a device could not start; empty if none failed, or if this was asked since then.
  virtual std::string take_problem() = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_CODEC_PLANAR_DEVICE_HPP
