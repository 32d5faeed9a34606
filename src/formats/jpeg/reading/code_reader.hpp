// Reads the codes between two markers, without a branch for each byte.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "src/formats/jpeg/file/huffman_table.hpp"

namespace qturn::jpeg {

// The bits of entropy-coded data, without the zero that follows each 0xFF: one window of the data
// at a time, small enough for the cache of a core, so that readers never have to look for 0xFF.

/// How much of `data` comes before its first marker.
std::size_t bytes_before_marker(std::span<const std::byte> data);

/// How many bytes `data`, which has no marker and does not end between 0xFF and zero, is without
/// the zeros.
std::size_t unstuffed_size(std::span<const std::byte> data);

class UnstuffedBits {
 public:
  /// Reads `data`, which must hold no marker.
  explicit UnstuffedBits(std::span<const std::byte> data) : rest_(data) { move_on(); }

  /// The 57 bits at `at`, the first one highest, and perhaps some more. After the end they are
  /// zero.
  std::uint64_t word(std::size_t at) const {
    std::uint64_t word;
    std::memcpy(&word, window_.data() + at / 8, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    return word << at % 8;
  }

  /// Where reading goes on, in bits from the beginning of the window.
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  /// How many bytes of the window are data.
  std::size_t have() const { return have_; }

  /// Moves the window on if it is nearly used up. At least `ahead` bytes are ahead then, or the
  /// end and as many zeros.
  void move_on() {
    if (have_ < at_ / 8 + ahead && (!rest_.empty() || have_ == 0)) fill();
  }
  /// More than a block takes: 64 times 27 bits.
  static constexpr std::size_t ahead = 256;

  /// Bits between at() and the data's end if that is in the window; negative after it.
  std::int64_t left() const {
    return static_cast<std::int64_t>(8 * have_) - static_cast<std::int64_t>(at_);
  }
  bool end_is_near() const { return rest_.empty(); }

 private:
  static constexpr std::size_t size = 1 << 15;

  void fill();

  std::span<const std::byte> rest_;  ///< not in the window yet
  std::size_t at_ = 0, have_ = 0;
  std::array<std::byte, size + ahead + 16> window_;
};

// The codes of baseline data, looked up by the bits that come next.

/// What one code stands for.
struct JpegStep {
  std::uint8_t code = 0;     ///< its bits; 0: there is no such code
  std::uint8_t bits = 0;     ///< of code and value
  std::uint8_t advance = 0;  ///< coefficients, those that are zero included
  bool ends = false;         ///< the rest of the block is zero
};

inline constexpr unsigned jpeg_coefficients = 64;
inline constexpr unsigned jpeg_lookup_bits = 11;  ///< longer codes take a search

/// The codes of a table. Values that 8-bit samples cannot give have no code; a table that is not a
/// prefix code has none at all.
class JpegCodes {
 public:
  JpegCodes(const JpegHuffmanTable& table, bool dc);

  /// Looks up the step that the next 16 bits ask for.
  JpegStep find(unsigned next) const;

  /// Within a lookup of whose bits, at the top, `known` are known.
  JpegStep find_within(unsigned lookup, unsigned known) const;

 private:
  std::array<JpegStep, 1 << jpeg_lookup_bits> short_{};
  std::array<JpegStep, 256> steps_{};
  std::array<unsigned, 17> first_{}, count_{};
  std::array<std::size_t, 17> offset_{};
};

// The codes of sequential data with their values, two at a time where they are short.
//
// The length of a code is not known before the code is looked up, and the next code begins after
// it. So a lookup and a shift are the time that a code takes at least, whatever else is done beside
// them. Two codes in one lookup take half of it.

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

/// The next bits, highest first. Whoever reads a block does so with a copy, which stays in
/// registers.
class JpegCodeCursor {
 public:
  /// A cursor begins at the source's at().
  explicit JpegCodeCursor(const UnstuffedBits& source) : source_(&source), next_(source.at() / 8) {
    refill();
    word_ <<= source.at() % 8;
    count_ -= source.at() % 8;
  }

  /// Loads bits until there are at least 56, which hold two codes with their values.
  void refill() {
    word_ |= source_->word(8 * next_) >> (count_ & 63);
    next_ += (~count_ & 63) >> 3;
    count_ |= 56;
  }

  JpegCodePair find(const JpegCodePairs& table) const { return table.find(word_); }
  JpegStep find_one(const JpegCodePairs& table) const { return table.find_one(word_); }

  /// Passes what `pair` stands for, and gives the last value.
  std::int16_t take(JpegCodePair pair) {
    const std::int16_t value = pair.last_value(word_);
    word_ <<= pair.bits();
    count_ -= pair.bits();
    return value;
  }

  /// The byte of the source's window that is to be loaded next.
  std::size_t next() const { return next_; }
  std::size_t at() const { return 8 * next_ - (count_ & 63); }

 private:
  const UnstuffedBits* source_;
  std::uint64_t word_ = 0, count_ = 0;  // only the lowest six bits of the count are right
  std::size_t next_;
};

/// The bits between two markers.
class JpegCodeReader {
 public:
  explicit JpegCodeReader(std::span<const std::byte> data) : source_(data), cursor_(source_) {
    find_enough();
  }
  JpegCodeReader(const JpegCodeReader&) = delete;
  JpegCodeReader& operator=(const JpegCodeReader&) = delete;

  /// Is called before each block. Returns false if the data has ended before it.
  bool begin_block() {
    if (cursor_.next() <= enough_) return true;
    source_.go_to(cursor_.at());
    source_.move_on();
    cursor_ = JpegCodeCursor(source_);
    find_enough();
    return source_.left() >= 0;
  }
  JpegCodeCursor cursor() const { return cursor_; }
  void end_block(const JpegCodeCursor& cursor) { cursor_ = cursor; }

  /// Whether less than a byte is left, which fills the last byte of the data.
  bool is_at_end() {
    source_.go_to(cursor_.at());
    return source_.end_is_near() && source_.left() >= 0 && source_.left() < 8;
  }

 private:
  // When the data ends, the cursor may still hold up to a word, with zeros after it.
  void find_enough() {
    const std::size_t have = source_.have();
    enough_ = source_.end_is_near() ? have + 8 : have - UnstuffedBits::ahead;
  }

  UnstuffedBits source_;
  JpegCodeCursor cursor_;
  std::size_t enough_ = 0;  // if the next byte is no later, a block's bits are in the window
};

}  // namespace qturn::jpeg
