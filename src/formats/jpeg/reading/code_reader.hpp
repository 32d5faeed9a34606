// Reads the codes between two markers, without a branch for each byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/formats/jpeg/reading/code_pairs.hpp"
#include "src/formats/jpeg/reading/unstuffed_bits.hpp"

namespace qturn::jpeg {

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
