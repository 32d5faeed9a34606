// Huffman tables of a turned picture: its file's tables, completed, or the best ones.
//
// Finding the best tables takes an extra pass over all coefficients, a third of the encoder's time.
// But the tables of the source are nearly the best for coefficients that were only moved. They may
// lack codes, because an optimised table has only the codes that its picture needed. Missing codes
// get the greatest length, and one or a few symbols are lengthened by a bit to make room.
#pragma once

#include <qturn/jpeg_huffman_table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace qturn::jpeg {

/// The code of each symbol of a sound table, for writing.
struct HuffmanCodes {
  std::array<std::uint32_t, 256> code{};
  std::array<std::uint8_t, 256> length{};

  explicit HuffmanCodes(const JpegHuffmanTable& table);
};

/// Whether all symbols of a table, used or not, are valid sizes of a DC coefficient. libjpeg
/// refuses scans with other tables.
bool codes_dc_sizes(const JpegHuffmanTable& table);

/// What a table is for: DC or AC coefficients of a sequential picture, the first bits of AC
/// coefficients of a progressive one, or bits that refine them.
enum class JpegSymbols : std::uint8_t { dc, ac, ac_first, ac_refined };

/// `table`, with a code for every symbol that 8-bit JPEG has for these coefficients; a new table if
/// `table` is not a prefix code.
JpegHuffmanTable complete(const JpegHuffmanTable& table, JpegSymbols symbols);

/// How often each symbol is coded.
using JpegSymbolCounts = std::array<std::uint64_t, 256>;

/// The table that codes symbols in the fewest bits (T.81, Annex K.2). It has codes for the symbols
/// that occur, at least one, and for no others.
JpegHuffmanTable best_table(const JpegSymbolCounts& counts);

}  // namespace qturn::jpeg
