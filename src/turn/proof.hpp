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

/// The same for a lossy format: the size of each page must be right, and the mean brightness of
/// each 16 x 16 pixels must be near. VP8 permits no strict bound (chroma is reduced, and edges are
/// smoothed). But it does not cause errors of a quarter of the range; other or misplaced pixels
/// do.
void prove_nearly_equal(const Image& source, const Image& result, Orientation applied,
                        const std::atomic<bool>& stop);

/// Throws ProofError unless all that both files hold besides pixels agrees after `turn`: each part
/// of `source` is in `result`, and nothing else; smaller pictures are turned, too, cut to whole
/// blocks if `edges` permits that; and the metadata of `result` do not contradict `result` where
/// the metadata of `source` did not contradict `source`. If `has_same_pixels`, the compressed
/// pixels are the same, too. Throws Interrupted.
void prove_parts(const Codec& codec, std::span<const std::byte> source,
                 std::span<const std::byte> result, const MetadataTurn& turn, JpegEdges edges,
                 bool has_same_pixels, const std::atomic<bool>& stop);

}  // namespace qturn
