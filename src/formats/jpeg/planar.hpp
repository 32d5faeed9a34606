// Turning a JPEG by its own planes: decoded to the samples it stores (Y, Cb and Cr, each at its own
// size, or whatever it has), each plane turned, and encoded with the picture's own quantisation and
// sampling, both turned with the axes. Blocks that stay whole requantise to nearly the same values.
//
// A chroma sample lies in the middle of the pixels that share it. If an edge cuts a group of pixels
// and moves to the left or the top, the new groups are different: turned samples would lie between
// the new places, half a sample off if two pixels share one and one is cut off. So each new sample
// is the weighted mean of its two neighbours (docs/jpeg.md has the rule).
#pragma once

#include <qturn/orientation.hpp>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

class JpegCoefficients;
class JpegDecoder;

/// A JPEG that is decoded once and written in as many orientations as wanted.
class JpegPlanes {
 public:
  /// Decodes `file`, which must outlive this, into `arena`, from which turn() takes memory too.
  /// Throws as JpegCoefficients.
  JpegPlanes(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings);
  /// The same of the file whose header `decoder` has read, and nothing else.
  JpegPlanes(JpegDecoder& decoder, PixelArena& arena, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings);
  ~JpegPlanes();

  /// The turned picture, encoded again: the same kind of coding and every marker, as
  /// JpegCoefficients::turn. A sequential one gets Huffman tables of its own.
  Bytes turn(Orientation orientation, const std::atomic<bool>& stop);

  /// Throws ProofError if `result` holds another coefficient than what turn() encodes is quantised
  /// to; Interrupted.
  void prove(const JpegCoefficients& result, Orientation orientation,
             const std::atomic<bool>& stop) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace qturn::jpeg
