// The blocks of a component as a turned picture has them, read where the source's lie.
//
// Turning the pixels of a block transposes its 64 frequencies, and mirroring an axis changes the
// sign of that axis' odd ones. So a turned block is the same numbers in another order, and nothing
// has to be moved: the coder, which asks only for the coefficients that are not zero and in zigzag
// order, looks up where each one lies. Which ones are not zero it gets as 64 bits, from a table for
// each row of the block that brings the row's eight bits to their places in that order.
#ifndef QTURN_SRC_JPEG_TURNED_BLOCKS_HPP
#define QTURN_SRC_JPEG_TURNED_BLOCKS_HPP

#include <qturn/orientation.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/jpeg/blocks.hpp"

namespace qturn {

/// Where coefficient k, in zigzag order, lies in a block: row * 8 + column.
inline constexpr std::array<std::uint8_t, DCTSIZE2> jpeg_zigzag = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/// The order in which a turned picture has the coefficients of a block.
class TurnedOrder {
 public:
  /// One of eight that live for ever.
  static const TurnedOrder& of(Orientation orientation);

  explicit TurnedOrder(Orientation orientation);

  /// Coefficient `k` of the turned block, in zigzag order.
  int value(const JCOEF* block, int k) const {
    const int stored = block[source_[static_cast<std::size_t>(k)]];
    return negated_ >> k & 1 ? -stored : stored;
  }

  /// Bit k is set if coefficient k of the turned block has a magnitude of at least 1 << `low`.
  std::uint64_t at_least(const JCOEF* block, int low) const;

  /// Bit k is set if coefficient k of the turned block is below zero.
  std::uint64_t negative(const JCOEF* block) const;

  /// Bit k is set if the magnitude of coefficient k of the turned block has bit `low` set.
  std::uint64_t with_bit(const JCOEF* block, int low) const;

 private:
  std::uint64_t in_order(const std::array<std::uint8_t, DCTSIZE2>& flags) const;

  std::array<std::uint8_t, DCTSIZE2> source_;
  std::uint64_t negated_ = 0;
  std::array<std::array<std::uint64_t, 256>, DCTSIZE> bits_of_row_{};
};

/// A component of the turned picture.
struct TurnedBlocks {
  JDIMENSION width = 0, height = 0;  ///< in blocks
  const JCOEF* origin = nullptr;
  std::ptrdiff_t x_step = 0, y_step = 0;  ///< in coefficients

  const JCOEF* block(JDIMENSION x, JDIMENSION y) const {
    return origin + static_cast<std::ptrdiff_t>(x) * x_step +
           static_cast<std::ptrdiff_t>(y) * y_step;
  }
};

/// The first `width` x `height` blocks of `source`, turned.
TurnedBlocks turned_blocks(const JpegBlockArray& source, JDIMENSION width, JDIMENSION height,
                           Orientation orientation);

static_assert(std::endian::native == std::endian::little);

// Eight bytes that are 0 or 1 become eight bits.
inline std::uint64_t TurnedOrder::in_order(const std::array<std::uint8_t, DCTSIZE2>& flags) const {
  std::uint64_t ordered = 0;
  for (std::size_t row = 0; row < DCTSIZE; ++row) {
    std::uint64_t bytes;
    std::memcpy(&bytes, flags.data() + row * DCTSIZE, sizeof bytes);
    ordered |= bits_of_row_[row][bytes * 0x0102040810204080U >> 56];
  }
  return ordered;
}

inline std::uint64_t TurnedOrder::at_least(const JCOEF* block, int low) const {
  std::array<std::uint8_t, DCTSIZE2> flags;
  const int least = 1 << low;
  for (std::size_t i = 0; i < DCTSIZE2; ++i) flags[i] = block[i] >= least || block[i] <= -least;
  return in_order(flags);
}

inline std::uint64_t TurnedOrder::negative(const JCOEF* block) const {
  std::array<std::uint8_t, DCTSIZE2> flags;
  for (std::size_t i = 0; i < DCTSIZE2; ++i) flags[i] = block[i] < 0;
  // Zero has no sign, so this says nothing where at_least(block, 0) does not.
  return in_order(flags) ^ negated_;
}

inline std::uint64_t TurnedOrder::with_bit(const JCOEF* block, int low) const {
  std::array<std::uint8_t, DCTSIZE2> flags;
  for (std::size_t i = 0; i < DCTSIZE2; ++i) {
    const int magnitude = block[i] < 0 ? -block[i] : block[i];
    flags[i] = static_cast<std::uint8_t>(magnitude >> low & 1);
  }
  return in_order(flags);
}

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_TURNED_BLOCKS_HPP
