// A JPEG on its way to JPEGs: compressed bytes in, compressed bytes out.
#ifndef QTURN_SRC_JPEG_TURN_HPP
#define QTURN_SRC_JPEG_TURN_HPP

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec.hpp"
#include "src/formats/pixel_arena.hpp"
#include "src/jpeg/lossless.hpp"
#include "src/jpeg/planar.hpp"
#include "src/jpeg/planar_device.hpp"
#include "src/jpeg/route.hpp"

namespace qturn {

class HardwareJpeg;

class JpegTurn {
 public:
  /// Of `file`, which must outlive this. Throws as read_header.
  JpegTurn(std::span<const std::byte> file, const JpegOptions& options);

  /// How `applied` is, or would be, applied. The identity is always lossless.
  JpegRoute route(Orientation applied) const;

  /// The size of the result of that.
  Size turned_size(Orientation applied) const;

  /// What to ask of a device: those of `applied` that are planar and that a device can do, nothing
  /// if there are none. Reads the file to its end if its header allows it.
  std::optional<PlanarRequest> request(std::span<const Orientation> applied,
                                       const std::atomic<bool>& stop);

  /// Takes the files that a device has made of request().
  void accept(const PlanarRequest& request, std::vector<Bytes> made,
              std::vector<std::string>& warnings);

  /// Where the picture ends in the file.
  std::size_t end() const;

  /// Whether a device has done this turn.
  bool is_made(Orientation applied) const { return made_.contains(applied); }

  /// Bytes of memory, at the most, that read() and turn() take for these orientations, of a picture
  /// with this header.
  std::uint64_t bytes_needed(const Header& header, std::span<const Orientation> applied) const;

  /// Reads the picture to its end, as these orientations need it, and at the least so that damage
  /// is found. Throws as JpegCoefficients.
  void read(std::span<const Orientation> applied, PixelArena& arena, const std::atomic<bool>& stop,
            std::vector<std::string>& warnings);

  /// The turned file, by one of the routes lossless, trim and planar. `applied` is one of those
  /// that were read, or made by a device, and comes once.
  Bytes turn(Orientation applied, const std::atomic<bool>& stop);

 private:
  bool is_planar(Orientation applied) const { return route(applied) == JpegRoute::planar; }

  std::span<const std::byte> file_;
  JpegOptions options_;
  JpegShape shape_;
  std::shared_ptr<const HardwareJpeg> hardware_;  ///< once a device was asked
  std::map<Orientation, Bytes> made_;
  std::optional<JpegCoefficients> coefficients_;
  std::optional<JpegPlanes> planes_;
};

/// Why a picture was left alone, or failed: for JpegRoute::skip and fail.
inline constexpr const char* jpeg_not_exact =
    "cannot be turned without loss, because an edge cuts through a block";

/// One turn of a JPEG, whatever it takes: its notes are not wanted and it is not interrupted.
Bytes turned_jpeg(std::span<const std::byte> file, Orientation orientation,
                  const JpegOptions& options);

/// A small JPEG inside another file: losslessly where that is exact, else by its own planes.
Bytes turn_jpeg(std::span<const std::byte> file, Orientation orientation);

/// The upper left part of a JPEG, losslessly: an edge at the right or below may cut through blocks.
Bytes cropped_jpeg(std::span<const std::byte> file, Size size);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_TURN_HPP
