// Whether a baseline picture's data is whole, without decoding it.
//
// A hardware decoder makes a picture of whatever it is given. So the data is walked first: symbol
// by symbol through the Huffman codes, past the bits of each coefficient, for exactly as many
// blocks as the picture has. Damage that libjpeg would notice loses the walk's way: a code that
// does not exist, a block with more than 64 coefficients, data that ends too early or too late.
#ifndef QTURN_SRC_JPEG_INTACT_HPP
#define QTURN_SRC_JPEG_INTACT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/jpeg/huffman.hpp"

namespace qturn {

/// The blocks that a component has in each MCU, and their tables.
struct BaselineComponent {
  int blocks = 1;
  const JpegHuffmanTable* dc = nullptr;
  const JpegHuffmanTable* ac = nullptr;
};

/// Whether `data`, the entropy-coded data of a scan and all that follows in the file, holds `mcus`
/// MCUs of these components without restart markers, and the marker EOI right behind them. If so,
/// `after` is where EOI ends.
bool is_intact(std::span<const std::byte> data, const std::vector<BaselineComponent>& components,
               std::uint64_t mcus, std::size_t& after);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_INTACT_HPP
