// The JPEGs that a GPU's decoder and encoder can take, what they are told, and the files made of
// what they give back.
//
// Which way a file goes is a function of its bytes and the turn alone, so that results do not
// depend on load. The device takes what cameras write: baseline, Y, Cb and Cr in one scan,
// 4:4:4, 4:2:2, 4:4:0 or 4:2:0, without restart markers, larger than a thumbnail, and undamaged.
// Chroma that would have to be resampled (docs/jpeg.md) is the CPU's work.
#ifndef QTURN_SRC_FORMATS_JPEG_HARDWARE_HARDWARE_HPP
#define QTURN_SRC_FORMATS_JPEG_HARDWARE_HARDWARE_HPP

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

class HardwareJpeg {
 public:
  /// Nothing if a device cannot take `file`, which must outlive this. Reads all of it. Throws as
  /// read_jpeg_header.
  static std::optional<HardwareJpeg> of(std::span<const std::byte> file,
                                        const std::atomic<bool>& stop);

  /// The same of the file whose header `decoder` has read, and nothing else.
  static std::optional<HardwareJpeg> of(const JpegDecoder& decoder);

  /// Whether the device can do this turn.
  bool takes(Orientation orientation) const;

  /// The request for these turns, for each of which takes() is true; without finish().
  PlanarRequest request(std::span<const Orientation> orientations) const;

  /// The turned file, in memory from `spare`: the picture `made` that the device made of output
  /// `orientation`, with the source's markers, the orientation set to 1, its names for the
  /// components, and what follows it.
  ///
  /// Throws ImageFileError if the result of the device does not match the request.
  Bytes finish(std::span<const std::byte> made, Orientation orientation, SpareBytes& spare) const;

 private:
  HardwareJpeg() = default;

  std::span<const std::byte> file_, header_, tail_;
  JpegPicture picture_;  ///< without scans
  bool optimised_ = false;
};

/// A whole JPEG of one MCU with the first two components' tables of `picture`, for codecs that take
/// tables only from a file.
Bytes tables_jpeg(const JpegPicture& picture);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_JPEG_HARDWARE_HARDWARE_HPP
