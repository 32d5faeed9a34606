// Whether a file holds the picture of another one, turned: both are read and compared. Only the two
// files count, not what the encoder had in memory.
//
// The program's own readers read both. Their common faults are not seen here; the tests compare the
// readers with other programs.
#pragma once

#include <qturn/orientation.hpp>

#include <atomic>
#include <cstddef>
#include <span>

#include "src/formats/codec/codec.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/image.hpp"

namespace qturn {

/// Throws ProofError unless each page of `result` has the pixels of the same page of `source` after
/// `applied` (and what Page::ahead says), bit for bit, and no page is missing; Interrupted.
void prove_pixels(const Image& source, const Image& result, Orientation applied,
                  const std::atomic<bool>& stop);

/// The same of a format that loses some: the size of each page is as it must be, and the mean
/// brightness of each 16 x 16 pixels is near. No bound follows from what VP8 stores (chroma is
/// reduced, and edges are smoothed), but errors of a quarter of the range do not come from there,
/// and other pixels, or misplaced ones, look different.
void prove_nearly_equal(const Image& source, const Image& result, Orientation applied,
                        const std::atomic<bool>& stop);

/// Throws ProofError unless what both files hold besides pixels agrees after `turn`: each part of
/// `source` is in `result`, and nothing else; smaller pictures are turned, too, if `edges` permits
/// it cut to whole blocks; and the metadata of `result` do not contradict it where the metadata of
/// `source` did not. If `has_same_pixels`, the compressed pixels are the same, too. Throws
/// Interrupted.
void prove_parts(const Codec& codec, std::span<const std::byte> source,
                 std::span<const std::byte> result, const MetadataTurn& turn, JpegEdges edges,
                 bool has_same_pixels, const std::atomic<bool>& stop);

}  // namespace qturn
