// Converts between rows of pixels smaller than a byte, most significant bit first as PNG and TIFF
// store them, and pixels of whole bytes, which can be moved.
#pragma once

#include <cstdint>

namespace qturn {

/// Puts each of `count` groups of `bits` from `row` into (bits + 7) / 8 bytes, at `to` and then
/// every `step` bytes. The first bits fill whole bytes, the rest are the lowest bits of the last
/// byte.
void unpack_bits(const std::uint8_t* row, int bits, std::int64_t count, std::uint8_t* to,
                 std::int64_t step);

/// The opposite. Bits after the last group, up to a whole byte, are 0.
void pack_bits(const std::uint8_t* from, std::int64_t step, int bits, std::int64_t count,
               std::uint8_t* row);

}  // namespace qturn
