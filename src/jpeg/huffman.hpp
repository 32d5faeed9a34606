// Huffman tables for encoding a turned picture in one pass.
//
// Finding the best tables takes a pass over all coefficients of its own: a third of the encoder's
// time. But the best tables of the source are nearly the best for the same picture turned. They may
// lack codes, since an optimised table has only those its picture needed, so those are added with
// the longest length there is, for which one or a few symbols are lengthened by a bit.
#ifndef QTURN_SRC_JPEG_HUFFMAN_HPP
#define QTURN_SRC_JPEG_HUFFMAN_HPP

#include <array>
#include <cstdint>

namespace qturn {

/// As in a DHT segment: how many codes there are of each length (1 to 16), and their symbols in the
/// order of the codes.
struct JpegHuffmanTable {
  std::array<std::uint8_t, 17> bits{};
  std::array<std::uint8_t, 256> symbols{};

  bool operator==(const JpegHuffmanTable&) const = default;
};

/// Whether all that a table codes, used or not, may be the size of a DC coefficient: libjpeg refuses
/// scans with other tables.
bool codes_dc_sizes(const JpegHuffmanTable& table);

/// What a table codes: DC or AC coefficients of a sequential picture, the first bits of AC
/// coefficients of a progressive one, or bits that refine them.
enum class JpegSymbols : std::uint8_t { dc, ac, ac_first, ac_refined };

/// `table` with a code for every symbol that 8-bit JPEG knows for such coefficients; a table of its
/// own where `table` is no prefix code.
JpegHuffmanTable complete(const JpegHuffmanTable& table, JpegSymbols symbols);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_HUFFMAN_HPP
