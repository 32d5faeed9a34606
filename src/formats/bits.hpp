// Between rows of pixels that are not whole bytes, most significant bit first as PNG and TIFF store
// them, and pixels of whole bytes that can be moved.
#ifndef QTURN_SRC_FORMATS_BITS_HPP
#define QTURN_SRC_FORMATS_BITS_HPP

#include <cstdint>

namespace qturn {

/// Puts each of `count` groups of `bits` from `row` into (bits + 7) / 8 bytes of its own, a `step`
/// apart from `to` on: the first bits fill whole bytes, the rest is the lowest of the last one.
void unpack_bits(const std::uint8_t* row, int bits, std::int64_t count, std::uint8_t* to,
                 std::int64_t step);

/// The opposite. Bits behind the last group, up to a whole byte, are 0.
void pack_bits(const std::uint8_t* from, std::int64_t step, int bits, std::int64_t count,
               std::uint8_t* row);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_BITS_HPP
