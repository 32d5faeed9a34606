// The codes of sequential data with their values, two at a time where they are short.
//
// The length of a code is not known before the code is looked up, and the next code begins after
// it. So a lookup and a shift are the time that a code takes at least, whatever else is done beside
// them. Two codes in one lookup take half of it.
#pragma once

#include <array>
#include <cstdint>

#include "src/formats/jpeg/reading/baseline_codes.hpp"

namespace qturn::jpeg {

/// What the next bits stand for: one or two codes, in a word. The value after the last of them need
/// not be among the bits that were looked up; that after the first one is.
///
///     bits 0 to 5    how many bits they take
///     bits 8 to 13   63 less the bits of the last value
///     bits 16 to 21  where the last value begins
///     bits 24 to 31  how far from here the first coefficient is
///     bits 32 to 39  how far the last one is, which may be the same; or one of the below
///     bits 48 to 63  the first value, if it is not the last one
class JpegCodePair {
 public:
  static constexpr unsigned end_of_block = 128, not_found = 192;

  JpegCodePair() = default;
  /// One code.
  explicit JpegCodePair(JpegStep step) : JpegCodePair(0, step.advance, 0, step, step.advance) {}
  /// Some bits, whose last value is at `first` from here; then `last`.
  JpegCodePair(unsigned bits, unsigned first, std::int16_t value, JpegStep last, unsigned advance)
      : word_((bits + last.bits) | (63U + last.code - last.bits) << 8 | (bits + last.code) << 16 |
              first << 24 | std::uint64_t{advance} << 32 |
              static_cast<std::uint64_t>(static_cast<std::uint16_t>(value)) << 48) {}

  unsigned bits() const { return word_ & 63; }
  unsigned first() const { return word_ >> 24 & 0xFF; }
  unsigned last() const { return word_ >> 32 & 0xFF; }
  std::int16_t first_value() const { return static_cast<std::int16_t>(word_ >> 48); }

  /// The value of the last coefficient, if these are the next bits.
  std::int16_t last_value(std::uint64_t next) const {
    const std::uint64_t rest = next << (word_ >> 16 & 63);
    // A value whose first bit is zero is negative: its bits are those of the magnitude, inverted.
    const auto negative = ~static_cast<std::uint64_t>(static_cast<std::int64_t>(rest) >> 63);
    const std::uint64_t magnitude = (rest ^ negative) >> 1 >> (word_ >> 8 & 63);
    return static_cast<std::int16_t>((magnitude ^ negative) - negative);
  }

 private:
  std::uint64_t word_ = std::uint64_t{not_found} << 32 | 1 << 24;
};

/// The codes of a table, one or two by the next bits.
class JpegCodePairs {
 public:
  JpegCodePairs(const JpegHuffmanTable& table, bool dc);

  /// Looks up the pair of codes that the next bits begin with. The first bit is the highest.
  JpegCodePair find(std::uint64_t next) const { return pairs_[next >> (64 - bits)]; }

  /// One code, however long it is.
  JpegStep find_one(std::uint64_t next) const {
    return codes_.find(static_cast<unsigned>(next >> 48));
  }

 private:
  // A table for 11 bits is no faster, and takes twice the room.
  static constexpr unsigned bits = 10;

  JpegCodePair pair(unsigned next, bool dc) const;
  JpegStep step(unsigned next, unsigned at) const;

  JpegCodes codes_;
  std::array<JpegCodePair, 1 << bits> pairs_;
};

}  // namespace qturn::jpeg
