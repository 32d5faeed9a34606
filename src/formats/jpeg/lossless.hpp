// Turning a JPEG without decoding it: its coefficients, written in another order.
//
// This is exact if every block that moves is whole. A picture's blocks count from its left and
// upper edge, so an edge that moves there must not cut through a block: a width that is mirrored
// must be a multiple of 8 pixels, or of 16 if chroma has half the size. What is hidden in the
// cut blocks of the other two edges moves too.
#pragma once

#include <qturn/orientation.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

class JpegDecoder;
struct DescribedBlocks;

/// The fastest one gives what libjpeg's does.
enum class JpegReader : std::uint8_t { fastest, of_libjpeg };

/// A JPEG that is read once and written in as many orientations as wanted.
class JpegCoefficients {
 public:
  /// Reads `file`, which must outlive this, to its end, its coefficients into `arena`. Throws
  /// ImageFileError for any damage, also where libjpeg would go on with invented data; Interrupted
  /// when `stop` is raised. `warnings` as decode().
  JpegCoefficients(std::span<const std::byte> file, PixelArena& arena,
                   const std::atomic<bool>& stop, std::vector<std::string>& warnings);
  /// The same of the file whose header `decoder` has read, and nothing else.
  JpegCoefficients(JpegDecoder& decoder, PixelArena& arena, const std::atomic<bool>& stop,
                   std::vector<std::string>& warnings, JpegReader reader = JpegReader::fastest);
  ~JpegCoefficients();

  /// The turned picture, up to the marker of its end: the same coefficients moved, the same kind of
  /// coding, every APPn and COM marker as it was, except for the orientation, which is 1. If the
  /// turn is not exact, edges that do not fill a block are left out.
  ///
  /// Throws ImageFileError if nothing would be left, or for coefficients that 8-bit JPEG does not
  /// have.
  Bytes turn(Orientation orientation, const std::atomic<bool>& stop) const;

  /// Valid as long as this is.
  DescribedBlocks described() const;

  /// Throws ProofError unless `result` holds what turn() makes of this; Interrupted.
  void prove(const JpegCoefficients& result, Orientation orientation,
             const std::atomic<bool>& stop) const;

  /// Does what turn() does for the identity, but keeps only the upper left part of this size.
  /// Throws ImageFileError if the picture is smaller.
  Bytes crop(Size size, const std::atomic<bool>& stop) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace qturn::jpeg
