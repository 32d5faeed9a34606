// A file turned as it is compressed: from compressed bytes to compressed bytes of the same format,
// without pixels in between. Codec::turn_compressed makes one.
//
// Only JPEGs are asked about a device.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/metadata/metadata_turn.hpp"
#include "src/picture/file_bytes.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn {

// src/formats/codec/jpeg_device.hpp defines them; it takes seconds to compile, and one format needs
// it.
struct JpegRequest;
struct JpegMade;

/// Has a device do a request; nothing if it cannot. May suspend the calling task.
using AskDevice = std::function<std::optional<JpegMade>(const JpegRequest&)>;

class CompressedTurn {
 public:
  virtual ~CompressedTurn() = default;

  /// The header that Codec::read_header would read. The file is not opened again for it.
  virtual Header header() const = 0;

  /// How `applied` is, or would be, applied, by the header alone: lossless, planar, trimmed, tagged
  /// or skipped; none where it is refused. The identity is always lossless.
  virtual Route route(Orientation applied) const = 0;

  /// Why this turn is not lossless.
  virtual std::string why_not(Orientation applied) const = 0;

  /// The size of the picture after `applied`.
  virtual Size turned_size(Orientation applied) const = 0;

  /// The most bytes of memory that read() and turn() take for these orientations.
  virtual std::uint64_t bytes_needed(std::span<const Orientation> applied) const = 0;

  /// What to ask of a device: the orientations that it can do; nothing if it can do none.
  virtual std::optional<JpegRequest> request(std::span<const Orientation> applied) const;

  /// Takes what a device has made of request().
  virtual void accept(const JpegRequest& request, JpegMade made,
                      std::vector<std::string>& warnings);

  /// Whether a device has done this turn.
  virtual bool is_made(Orientation /*applied*/) const { return false; }

  /// Reads the file to its end, once, as these orientations need it, and at least so far that
  /// damage is found. Throws as Codec::decode.
  virtual void read(std::span<const Orientation> applied, PixelArena& arena,
                    const std::atomic<bool>& stop, std::vector<std::string>& warnings) = 0;

  /// The turned file with all its orientation metadata, by one of the routes lossless, trimmed and
  /// planar. `applied` was read, or a device has made it, and comes once.
  virtual FileBytes turn(Orientation applied, const TurnEmbedded& turn_embedded,
                         const std::atomic<bool>& stop, std::vector<std::string>& warnings) = 0;

  /// Reads the file once more for prove() of one orientation, into `arena`, by another decoder if
  /// there is one. What read() has left is not used any more.
  virtual void read_again(Orientation /*applied*/, PixelArena& /*arena*/,
                          const std::atomic<bool>& /*stop*/) {}

  /// Compares what is compressed in `result`, which turn() made of `applied`, with this file. Takes
  /// memory from `arena`. Throws ProofError where they differ; ImageFileError where the result
  /// cannot be read; Interrupted. Where Codec::parts says all, there is nothing to do.
  virtual void prove(std::span<const std::byte> /*result*/, Orientation /*applied*/,
                     PixelArena& /*arena*/, const std::atomic<bool>& /*stop*/) {}

  /// Does the same with a device, which turns `result` back. False says nothing of the result:
  /// prove() tells. Throws Interrupted.
  virtual bool is_proved_by(const AskDevice& /*device*/, std::span<const std::byte> /*result*/,
                            Orientation /*applied*/) const {
    return false;
  }

  /// Finds the orientation in which `result` holds this picture, whoever made it. To be called
  /// after read() of the identity. Throws as prove(). Nothing where Codec::parts says all.
  virtual std::optional<Orientation> turn_in(std::span<const std::byte> /*result*/,
                                             PixelArena& /*arena*/,
                                             const std::atomic<bool>& /*stop*/) {
    return std::nullopt;
  }

  /// The most bytes of memory that prove() takes besides the result, after read() or accept().
  virtual std::uint64_t proof_bytes(std::span<const Orientation> /*applied*/) const { return 0; }
};

}  // namespace qturn
