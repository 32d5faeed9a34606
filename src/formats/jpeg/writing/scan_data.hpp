// Huffman coding of turned blocks, in one pass over them.
//
// Sequential scans interleave components, and so may the DC coefficients of progressive ones. Those
// that hold AC coefficients are in ac_scans.hpp.
#pragma once

#include <atomic>
#include <vector>

#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/writing/bit_writer.hpp"
#include "src/formats/jpeg/writing/turned_blocks.hpp"

namespace qturn::jpeg {

/// Gives the scans of a sequential picture the tables that code its blocks in the fewest bits. Of a
/// large picture only some rows are counted. Throws as code_scans.
void fit_tables(JpegPicture& picture, const std::vector<TurnedBlocks>& blocks,
                const TurnedOrder& order, const std::atomic<bool>& stop);

/// The data of every scan of `picture`, whose scans have complete tables, with `blocks` for its
/// components, read in `order`.
///
/// Throws ImageFileError for coefficients that 8-bit JPEG does not have; Interrupted when `stop` is
/// raised.
std::vector<JpegData> code_scans(const JpegPicture& picture,
                                 const std::vector<TurnedBlocks>& blocks, const TurnedOrder& order,
                                 const std::atomic<bool>& stop);

}  // namespace qturn::jpeg
