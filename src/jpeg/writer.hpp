// A JPEG file from its parts.
#ifndef QTURN_SRC_JPEG_WRITER_HPP
#define QTURN_SRC_JPEG_WRITER_HPP

#include <atomic>
#include <span>

#include "src/jpeg/blocks.hpp"
#include "src/jpeg/picture.hpp"

namespace qturn {

/// The file of a picture with these coefficients, turned. `picture` describes it as it is stored
/// and may be smaller than the blocks, of which those at the left and the top are then taken. Its
/// scans, their tables, its restart intervals and its markers are kept. `tail` goes behind the end.
///
/// Throws as code_scans.
Bytes write_jpeg(const JpegPicture& picture, const JpegBlocks& blocks, Orientation orientation,
                 std::span<const std::byte> tail, const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_WRITER_HPP
