// A JPEG file from its parts.
#ifndef QTURN_SRC_FORMATS_JPEG_WRITING_WRITER_HPP
#define QTURN_SRC_FORMATS_JPEG_WRITING_WRITER_HPP

#include <atomic>
#include <span>

#include "src/formats/jpeg/libjpeg/blocks.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"

namespace qturn {

/// The file of a picture with these coefficients, turned. `picture` describes it as it is stored
/// and may be smaller than the blocks, of which those at the left and the top are then taken. Its
/// scans, their tables, its restart intervals and its markers are kept. `tail` follows the end.
///
/// Throws as code_scans.
Bytes write_jpeg(const JpegPicture& picture, const JpegBlocks& blocks, Orientation orientation,
                 std::span<const std::byte> tail, const std::atomic<bool>& stop);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_JPEG_WRITING_WRITER_HPP
