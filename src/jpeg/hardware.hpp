// The JPEGs that a GPU's decoder and encoder can take, what they are told, and the files made of
// what they give back.
//
// Which way a file goes is a function of its bytes and the turn alone, so that results do not
// depend on load. The device takes what cameras write: baseline, Y, Cb and Cr in one scan,
// 4:4:4, 4:2:2, 4:4:0 or 4:2:0, without restart markers, larger than a thumbnail, and undamaged.
// Chroma that would have to be resampled (docs/jpeg.md) is the CPU's work.
#ifndef QTURN_SRC_JPEG_HARDWARE_HPP
#define QTURN_SRC_JPEG_HARDWARE_HPP

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/jpeg/picture.hpp"
#include "src/jpeg/planar_device.hpp"

namespace qturn {

class HardwareJpeg {
 public:
  /// Nothing if a device cannot take `file`, which must outlive this. Reads all of it. Throws as
  /// read_jpeg_header.
  static std::optional<HardwareJpeg> of(std::span<const std::byte> file,
                                        const std::atomic<bool>& stop);

  /// Whether the device can do this turn.
  bool takes(Orientation orientation) const;

  /// The order for these turns, each of which takes(); without finish().
  PlanarRequest request(std::span<const Orientation> orientations) const;

  /// The turned file, in memory from `spare`: the picture `made` that the device made of output
  /// `orientation`, with the source's markers, the orientation set to 1, its names for the
  /// components, and what follows it.
  ///
  /// Throws ImageFileError if the device made something else than it was told.
  Bytes finish(std::span<const std::byte> made, Orientation orientation, SpareBytes& spare) const;

  /// Where the picture ends in the file.
  std::size_t end() const { return file_.size() - tail_.size(); }

  /// As decode().
  void add_warnings(std::vector<std::string>& warnings) const;

 private:
  HardwareJpeg() = default;

  std::span<const std::byte> file_, header_, tail_;
  JpegPicture picture_;  ///< without scans
  bool optimised_ = false;
  std::string note_;
};

/// A whole JPEG of one MCU with the first two components' tables of `picture`, for codecs that take
/// tables only from a file.
Bytes tables_jpeg(const JpegPicture& picture);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_HARDWARE_HPP
