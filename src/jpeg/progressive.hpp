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
#include <span>

#include "src/jpeg/blocks.hpp"
#include "src/jpeg/picture.hpp"

namespace qturn {

/// Makes `blocks` for the components of a picture, all zero. Throws std::bad_alloc.
void make_blocks(const JpegPicture& picture, JpegBlocks& blocks);

/// Reads the scans of `picture` from `file` into `blocks`, which are
/// zero. Returns false, with anything in `blocks`,
/// if they are not all in order. Throws Interrupted when `stop` is raised.
bool read_progressive(std::span<const std::byte> file, const JpegPicture& picture,
                      JpegBlocks& blocks, const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_PROGRESSIVE_HPP
