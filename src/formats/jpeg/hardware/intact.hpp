// Whether a baseline picture's data is whole, without decoding it.
//
// A hardware decoder makes a picture of any data. So the data is checked first: symbol by symbol
// through the Huffman codes, past the bits of each coefficient, for exactly as many blocks as the
// picture has. This finds the damage that libjpeg would find: a code that does not exist, a block
// with more than 64 coefficients, data that ends too early or too late.
#ifndef QTURN_SRC_FORMATS_JPEG_HARDWARE_INTACT_HPP
#define QTURN_SRC_FORMATS_JPEG_HARDWARE_INTACT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/formats/jpeg/file/huffman_table.hpp"

namespace qturn {

/// The blocks that a component has in each MCU, and their tables.
struct BaselineComponent {
  int blocks = 1;
  const JpegHuffmanTable* dc = nullptr;
  const JpegHuffmanTable* ac = nullptr;
};

/// Whether `data`, the entropy-coded data of a scan and all that follows in the file, holds `mcus`
/// MCUs of these components without restart markers, and the marker EOI right after them. If so,
/// `after` is where EOI ends.
bool is_intact(std::span<const std::byte> data, const std::vector<BaselineComponent>& components,
               std::uint64_t mcus, std::size_t& after);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_JPEG_HARDWARE_INTACT_HPP
