// A device that decodes JPEGs to their planes, turns those and encodes them again: the GPU's way of
// what planar.hpp does on the CPU. What is compressed goes in and comes out.
#ifndef QTURN_SRC_JPEG_PLANAR_DEVICE_HPP
#define QTURN_SRC_JPEG_PLANAR_DEVICE_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/spare_bytes.hpp"

namespace qturn {

/// A baseline JPEG of Y, Cb and Cr in one scan, known to be whole, and what is to become of it.
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

  /// False once it is known that no file can be taken.
  virtual bool is_of_use() = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_PLANAR_DEVICE_HPP
