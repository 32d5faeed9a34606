// Huffman tables as JPEG files define them.
#ifndef QTURN_JPEG_HUFFMAN_TABLE_HPP
#define QTURN_JPEG_HUFFMAN_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace qturn {

/// A table in the form of a DHT segment: the number of codes of each length (1 to 16), and their
/// symbols in the order of the codes.
struct JpegHuffmanTable {
  std::array<std::uint8_t, 17> bits{};
  std::array<std::uint8_t, 256> symbols{};

  /// How many symbols have a code.
  constexpr std::size_t symbol_count() const {
    std::size_t count = 0;
    for (std::size_t length = 1; length < bits.size(); ++length) count += bits[length];
    return count < symbols.size() ? count : symbols.size();
  }

  friend bool operator==(const JpegHuffmanTable& a, const JpegHuffmanTable& b) {
    return a.bits == b.bits && a.symbols == b.symbols;
  }
  friend bool operator!=(const JpegHuffmanTable& a, const JpegHuffmanTable& b) { return !(a == b); }
};

}  // namespace qturn

#endif  // QTURN_JPEG_HUFFMAN_TABLE_HPP
