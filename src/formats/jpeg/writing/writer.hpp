// A JPEG file from its parts.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "src/formats/jpeg/libjpeg/blocks.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"

namespace qturn::jpeg {

/// Which Huffman tables a sequential picture is coded with. A progressive one keeps the source's
/// tables, which were made for it.
enum class JpegTables : std::uint8_t {
  of_source,  ///< with the codes that it lacks
  fitted,     ///< made for these coefficients: fit_tables
};

/// The file of a picture with these coefficients, turned. `picture` describes it as it is stored
/// and may be smaller than the blocks; then the blocks at the left and the top are taken. Its
/// scans, its restart intervals and its markers are kept.
///
/// Throws as code_scans.
Bytes write_jpeg(const JpegPicture& picture, const JpegBlocks& blocks, Orientation orientation,
                 JpegTables tables, const std::atomic<bool>& stop);

/// The picture as write_jpeg() describes it in the file: turned, with complete tables.
JpegPicture written_picture(const JpegPicture& stored, Orientation orientation);

/// All that comes before the data of the only scan. `picture` is turned, and has the tables that
/// the data is coded with.
Bytes header_before_scan(const JpegPicture& picture);

}  // namespace qturn::jpeg
