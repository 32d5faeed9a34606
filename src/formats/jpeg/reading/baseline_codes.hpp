// The codes of baseline data, looked up one by one, or as many at a time as the next bits hold.
//
// Reading codes one by one takes, for each code, a lookup that waits for the one before, and a
// branch on the end of the block, which cannot be predicted. A leap passes all codes that lie
// completely in the next 11 bits, with the values after the last one: 10.7 bits on average in
// photographs. If the block ends, the DC code of the next block and what follows belong to the same
// leap. So a leap always starts and ends among AC coefficients, and the end of a block is
// arithmetic, not a branch. For that, each block of an MCU has its own leaps. What no leap covers
// (long codes, full blocks, 1 in 300) is read code by code.
#ifndef QTURN_SRC_FORMATS_JPEG_READING_BASELINE_CODES_HPP
#define QTURN_SRC_FORMATS_JPEG_READING_BASELINE_CODES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/formats/jpeg/file/huffman_table.hpp"

namespace qturn {

/// What one code stands for.
struct JpegStep {
  std::uint8_t code = 0;     ///< its bits; 0: there is no such code
  std::uint8_t bits = 0;     ///< of code and value
  std::uint8_t advance = 0;  ///< coefficients, those that are zero included
  bool ends = false;         ///< the rest of the block is zero
};

inline constexpr unsigned jpeg_coefficients = 64;
inline constexpr unsigned jpeg_lookup_bits = 11;  ///< the tables of all blocks fit a core's cache

/// The codes of a table. Values that 8-bit samples cannot give have no code; a table that is not a
/// prefix code has none at all.
class JpegCodes {
 public:
  JpegCodes(const JpegHuffmanTable& table, bool dc);

  /// By the next 16 bits.
  JpegStep find(unsigned next) const;

  /// Within a lookup of whose bits, at the top, `known` are known.
  JpegStep find_within(unsigned lookup, unsigned known) const;

 private:
  std::array<JpegStep, 1 << jpeg_lookup_bits> short_{};
  std::array<JpegStep, 256> steps_{};
  std::array<unsigned, 17> first_{}, count_{};
  std::array<std::size_t, 17> offset_{};
};

/// Of a block.
struct JpegBlockCodes {
  const JpegCodes* dc = nullptr;
  const JpegCodes* ac = nullptr;
};

/// Several steps at once, from one AC coefficient to another:
///
///     bits 0 to 5    how many bits they take; three leaps, and no more, fit the 57 of a word
///     bit 6          whether a block ends
///     bits 11 to 14  the number, in the MCU, of the block that they lead to
///     bits 16 to 23  how many coefficients they advance in the block that they start in
///     bits 24 to 31  where a block ends: how many are left after the one they lead to
///
/// The lowest two can be added up, and the number is what the next lookup is to be offset by.
class JpegLeap {
 public:
  static constexpr unsigned most_bits = 19, most_blocks = 16;

  /// Not a leap: it advances farther than any block allows.
  JpegLeap() = default;
  JpegLeap(unsigned bits, unsigned block, unsigned advance)
      : word_(bits | block << jpeg_lookup_bits | advance << advance_at) {}
  /// Into `block`, up to coefficient `next`.
  JpegLeap(unsigned bits, unsigned block, unsigned advance, unsigned next)
      : word_(JpegLeap(bits, block, advance).word_ | 1U << ends_at |
              (jpeg_coefficients - 1 - next) << left_at) {}

  unsigned bits() const { return word_ & 63; }
  unsigned offset() const { return word_ & (most_blocks - 1) << jpeg_lookup_bits; }
  unsigned advance() const { return word_ >> advance_at & 0xFF; }
  unsigned left() const { return word_ >> left_at; }

  static constexpr unsigned bits_of(std::uint64_t sum) { return sum & 63; }
  static constexpr unsigned blocks_of(std::uint64_t sum) { return sum >> ends_at & 3; }
  std::uint32_t summand() const { return word_; }

 private:
  static constexpr unsigned ends_at = 6, advance_at = 16, left_at = 24;
  std::uint32_t word_ = 0xFFU << advance_at;
};

/// For each block of an MCU, at most JpegLeap::most_blocks, the leaps by the next bits.
std::vector<JpegLeap> jpeg_leaps(std::span<const JpegBlockCodes> mcu);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_JPEG_READING_BASELINE_CODES_HPP
