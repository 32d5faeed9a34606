// Run lengths of a BMP's palette indices, of 4 or 8 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/formats/bmp/layout.hpp"

namespace qturn::bmp {

struct BmpRunLengths {
  std::size_t bytes = 0;              ///< that they take
  std::uint64_t left_out_pixels = 0;  ///< they have no colour
};

/// Reads those at the beginning of `data`. The rows of indices are written in the order of the
/// file, a byte each: the first at `first_row`, the next `row_step` bytes further. Pixels that are
/// left out keep what is there. Null: nothing is written.
///
/// Throws ImageFileError when they end too early or lead out of the picture. They may fill up a row
/// to whole words of 32 bits, as some writers let them.
BmpRunLengths read_run_lengths(const BmpLayout& layout, std::span<const std::byte> data,
                               std::uint8_t* first_row, std::int64_t row_step);

}  // namespace qturn::bmp
