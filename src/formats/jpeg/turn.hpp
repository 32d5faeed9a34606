// A JPEG that is turned to JPEGs: compressed bytes in, compressed bytes out.
#ifndef QTURN_SRC_FORMATS_JPEG_TURN_HPP
#define QTURN_SRC_FORMATS_JPEG_TURN_HPP

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/formats/codec/jpeg_device.hpp"
#include "src/formats/jpeg/lossless.hpp"
#include "src/formats/jpeg/planar.hpp"
#include "src/formats/jpeg/route.hpp"
#include "src/picture/header.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

struct JpegFile;

class JpegTurn {
 public:
  /// Of `file`, which must outlive this. Throws as Codec::check_limits and Codec::read_header.
  JpegTurn(std::span<const std::byte> file, const JpegOptions& options, const Limits& limits = {});
  ~JpegTurn();

  /// As Codec::read_header: the file is not opened again for it.
  Header header() const;

  /// How `applied` is, or would be, applied. The identity is always lossless.
  Route route(Orientation applied) const;

  /// The size of the result of that.
  Size turned_size(Orientation applied) const;

  /// The request to a device: those of `applied` that a device can do, nothing if there are none.
  std::optional<JpegRequest> request(std::span<const Orientation> applied) const;

  /// Takes what a device has made of request().
  void accept(const JpegRequest& request, JpegMade made, std::vector<std::string>& warnings);

  /// What its markers say: all of them once it was read, or a device has.
  const JpegFile& file() const;

  /// Whether a device has done this turn, or has read the file to its end without damage, which is
  /// all that a copy needs.
  bool is_made(Orientation applied) const {
    return made_.contains(applied) || (is_read_ && applied == Orientation::identity);
  }

  /// The most bytes of memory that read() and turn() take for these orientations. Throws
  /// LimitError.
  std::uint64_t bytes_needed(std::span<const Orientation> applied) const;

  /// Reads the picture to its end, once, as these orientations need it, and at least so far that
  /// damage is found. Throws as JpegCoefficients; LimitError.
  void read(std::span<const Orientation> applied, PixelArena& arena, const std::atomic<bool>& stop,
            std::vector<std::string>& warnings);

  /// The turned picture without what follows it, by one of the routes lossless, trim and planar.
  /// `applied` is one of those that were read, or made by a device. Call it once for each.
  FileBytes turn(Orientation applied, const std::atomic<bool>& stop);

 private:
  bool is_planar(Orientation applied) const { return route(applied) == Route::planar; }

  JpegOptions options_;
  std::unique_ptr<JpegDecoder> decoder_;  ///< which has read the header, and then all of the file
  JpegShape shape_;
  std::map<Orientation, FileBytes> made_;
  bool is_read_ = false;  ///< by a device
  std::optional<JpegCoefficients> coefficients_;
  std::optional<JpegPlanes> planes_;
};

/// Why a picture was left alone, or failed: for Route::skipped and Route::none.
inline constexpr const char* jpeg_not_exact =
    "cannot be turned without loss, because an edge cuts through a block";

/// One turn of a JPEG, by any route, without warnings and interruption. What follows the picture is
/// kept.
Bytes turned_jpeg(std::span<const std::byte> file, Orientation orientation,
                  const JpegOptions& options);

/// Turns a small JPEG inside another file: losslessly if that is exact, otherwise by its own
/// planes.
Bytes turn_embedded_jpeg(std::span<const std::byte> file, Orientation orientation);

/// The upper left part of a JPEG, losslessly: an edge at the right or below may cut through blocks.
Bytes cropped_jpeg(std::span<const std::byte> file, Size size);

}  // namespace qturn::jpeg

#endif  // QTURN_SRC_FORMATS_JPEG_TURN_HPP
