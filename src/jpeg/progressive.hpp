// Reads the coefficients of progressive pictures, faster than libjpeg does.
//
// libjpeg goes through each scan block by block and, where it refines, coefficient by coefficient.
// Here each block has a mask of its coefficients that are not zero, so that a scan touches nothing
// but what it changes: half of the time for a photograph.
//
// This reader only ever says "yes". Whatever is not as an encoder writes it (bytes too few or too
// many, unknown codes, runs that lead out of the block, markers and restarts between the scans) is
// left to libjpeg, which then finds the words for it, or finds nothing wrong with it.
#ifndef QTURN_SRC_JPEG_PROGRESSIVE_HPP
#define QTURN_SRC_JPEG_PROGRESSIVE_HPP

#include <atomic>
#include <optional>
#include <span>

#include "src/jpeg/blocks.hpp"
#include "src/jpeg/picture.hpp"

namespace qturn {

/// The picture whose header `decoder` has read from `file`, with its coefficients in `blocks`;
/// nothing, with anything in `blocks`, if it is not progressive or not all in order. Throws
/// std::bad_alloc, and Interrupted when `stop` is raised.
std::optional<PlainPicture> read_progressive(const JpegDecoder& decoder,
                                             std::span<const std::byte> file, JpegBlocks& blocks,
                                             const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_PROGRESSIVE_HPP
