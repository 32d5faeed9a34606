// Codes of a turned block.
#pragma once

#include <cstdint>

#include "kernels/jpeg/src/coefficients.hpp"
#include "kernels/jpeg/src/machine.hpp"
#include "kernels/jpeg/src/tables.hpp"

namespace qturn::jpeg {

/// A block as it was read (ReadBlocks): the coefficients of a set, in two parts.
class StoredBlock {
 public:
  constexpr StoredBlock() = default;
  constexpr StoredBlock(const std::int16_t* values, std::uint64_t set, std::uint32_t parted)
      : values_(values),
        low_(static_cast<std::uint32_t>(set)),
        high_(static_cast<std::uint32_t>(set >> 32)),
        parted_(parted) {
    if (parted == 0) return;
    const std::uint64_t first_part = set & ((std::uint64_t{2} << parted) - 1);
    left_out_ = parted - bit_count(first_part);
  }

  constexpr std::uint64_t set() const { return std::uint64_t{high_} << 32 | low_; }
  /// The coefficient at a place that is in the set.
  constexpr std::int32_t value(const CoefficientPlace& place) const {
    constexpr std::uint32_t all_before = ~(1u << 31);
    const bool is_low = place.number < 32;
    std::uint32_t at = bit_count((is_low ? low_ : high_) & place.before & all_before);
    if (!is_low) at += bit_count(low_);
    if (place.number > parted_) at += left_out_;
    return values_[at];
  }

 private:
  const std::int16_t* values_ = nullptr;
  std::uint32_t low_ = 0, high_ = 0;
  std::uint32_t parted_ = 0, left_out_ = 0;  ///< values between the parts
};

constexpr std::uint32_t largest_dc_size = 11;

/// Counts symbols instead of writing codes; what has a count for each symbol stands for a table.
struct SymbolCounter {};

template <class Counts>
constexpr void put(SymbolCounter&, Counts& counts, std::uint32_t symbol, std::uint32_t,
                   std::uint32_t) {
  add_one(counts.of[symbol]);
}

/// Puts a code, and the lower `size` bits of a value.
template <class Packer>
constexpr void put(Packer& out, const WriteTable& table, std::uint32_t symbol, std::uint32_t value,
                   std::uint32_t size) {
  out.put(table.code[symbol], value & ((1u << size) - 1));
}

constexpr std::uint32_t size_of(std::int32_t value) {
  return bit_width(static_cast<std::uint32_t>(value < 0 ? -value : value));
}

template <class Bits, class Table>
constexpr void put_dc(Bits& out, Table& table, std::int32_t difference) {
  const std::uint32_t size = size_of(difference);
  put(out, table, size, static_cast<std::uint32_t>(difference - (difference < 0 ? 1 : 0)), size);
}

/// The AC coefficients of `block`, turned. Each has at most ten bits.
template <class Bits, class Table>
constexpr void put_ac(Bits& out, Table& table, const Order& order, const StoredBlock& block) {
  constexpr std::uint32_t sixteen_zeros = 0xF0, end_of_block = 0;
  // The next coefficient, which is number k of the turned block, has the highest bit.
  std::uint32_t k = 1;
  std::uint64_t left = reversed(order.transposes ? transposed(block.set()) : block.set()) << k;
  while (left != 0) {
    const std::uint32_t run = leading_zeros(static_cast<std::uint32_t>(left >> 32));
    if (run > 15) {
      put(out, table, sixteen_zeros, 0, 0);
      left <<= 16;
      k += 16;
      continue;
    }
    left <<= run + 1;
    const CoefficientPlace from = order.source[k + run];
    k += run + 1;
    const std::int32_t value = block.value(from);
    const auto size = static_cast<std::uint32_t>(value < 0 ? -value : value);
    const std::uint32_t bits = small_bit_width(size);
    // Negative ones have their bits inverted.
    const std::int32_t sign = (value ^ static_cast<std::int32_t>(from.before)) >> 31;
    put(out, table, run << 4 | bits, size ^ static_cast<std::uint32_t>(sign), bits);
  }
  if (k != 64) put(out, table, end_of_block, 0, 0);
}

/// Gathers bits into words, the first bit highest, which it hands to put(word's number, word).
template <class Words>
class BitPacker {
 public:
  constexpr explicit BitPacker(Words& words) : words_(words) {}

  /// A code as a WriteTable has it, and the bits of its value.
  constexpr void put(std::uint32_t code, std::uint32_t value) {
    smallest_code_ = code < smallest_code_ ? code : smallest_code_;
    const std::uint32_t count = code & 31;
    last_ = last_ << count | (code >> 5 | value);
    open_ += count;
    if (open_ < 32) return;
    open_ -= 32;
    words_.put(full_++, static_cast<std::uint32_t>(last_ >> open_));
  }
  /// Hands out the last word, and returns how many bits there are.
  constexpr std::uint32_t end() {
    if (open_ != 0) words_.put(full_, static_cast<std::uint32_t>(last_ << (32 - open_)));
    return full_ * 32 + open_;
  }
  constexpr bool lacks_code() const { return smallest_code_ == 0; }

 private:
  Words& words_;
  std::uint64_t last_ = 0;             ///< bits, the last one lowest
  std::uint32_t open_ = 0;             ///< of them, not yet in a word
  std::uint32_t full_ = 0;             ///< words
  std::uint32_t smallest_code_ = ~0u;  ///< 0 is none
};

/// Sets the bits from `bit` to the next whole byte.
constexpr void fill_byte(std::uint32_t* words, std::uint32_t bit) {
  const std::uint32_t open = (0 - bit) % 8;
  if (open != 0) add_bits(words[bit / 32], ((1u << open) - 1) << (32 - bit % 32 - open));
}

/// Words of a string that begins at bit `begin` of others, to which neighbours add theirs.
class StringInWords {
 public:
  constexpr StringInWords(std::uint32_t* words, std::uint32_t begin)
      : words_(words + begin / 32), shift_(begin % 32) {}

  /// Word `at` of the string. Bits after the string's last one are 0.
  constexpr void put(std::uint32_t at, std::uint32_t word) const {
    add_bits(words_[at], word >> shift_);
    const std::uint32_t rest = word << (31 - shift_) << 1;
    if (rest != 0) add_bits(words_[at + 1], rest);
  }

 private:
  std::uint32_t* words_;
  std::uint32_t shift_;
};

}  // namespace qturn::jpeg
