// An Exif block after a turn, compared with the one before. A turn patches it where it lies, so
// every byte is as it was but for the few that say something of orientation, size or thumbnail.
#pragma once

#include <cstddef>
#include <span>

#include "src/metadata/metadata_turn.hpp"

namespace qturn {

/// The thumbnails of both, if each has one that is a JPEG; otherwise empty.
struct ExifThumbnails {
  std::span<const std::byte> before, after;
};

/// Blocks with or without signature. Throws ProofError if another byte has changed. What the
/// changed ones say is for MetadataCheck to tell.
ExifThumbnails prove_exif(std::span<const std::byte> before, std::span<const std::byte> after,
                          const MetadataTurn& turn);

}  // namespace qturn
