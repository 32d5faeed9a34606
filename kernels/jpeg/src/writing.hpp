// Codes of a turned block.
#ifndef QTURN_KERNELS_JPEG_WRITING_HPP
#define QTURN_KERNELS_JPEG_WRITING_HPP

#include <cstdint>

#include "kernels/jpeg/src/coefficients.hpp"
#include "kernels/jpeg/src/machine.hpp"
#include "kernels/jpeg/src/tables.hpp"

namespace qturn::jpeg {

/// A block as it was read (ReadBlocks): the coefficients of `set`, in two parts.
struct StoredBlock {
  const std::int16_t* values = nullptr;
  std::uint64_t set = 0;
  std::uint32_t parted = 0;

  /// Coefficient `k`, which is in the set.
  constexpr std::int32_t value(std::uint32_t k) const {
    const std::uint64_t before = set & ((std::uint64_t{1} << k) - 1);
    const std::uint64_t first_part = (std::uint64_t{2} << parted) - 1;
    const std::uint32_t at =
        k > parted ? parted + bit_count(before & ~first_part) : bit_count(before);
    return values[at];
  }
};

/// Counts bits.
struct BitCount {
  std::uint32_t bits = 0;
  bool lacks_code = false;

  constexpr void put(std::uint32_t, std::uint32_t count) { bits += count; }
};

constexpr std::uint32_t largest_dc_size = 11;

/// Counts symbols instead of bits; what has a count for each symbol stands for a table.
struct SymbolCounter {};

template <class Counts>
constexpr void put(SymbolCounter&, Counts& counts, std::uint32_t symbol, std::int32_t,
                   std::uint32_t) {
  add_one(counts.of[symbol]);
}

/// Puts a code, and the bits of a value.
template <class Bits>
constexpr void put(Bits& out, const WriteTable& table, std::uint32_t symbol, std::int32_t value,
                   std::uint32_t size) {
  const std::uint32_t code = table.code[symbol];
  if (code == 0) out.lacks_code = true;
  const auto low = static_cast<std::uint32_t>(value - (value < 0 ? 1 : 0)) & ((1u << size) - 1);
  out.put((code >> 5) << size | low, (code & 31) + size);
}

constexpr std::uint32_t size_of(std::int32_t value) {
  return bit_width(static_cast<std::uint32_t>(value < 0 ? -value : value));
}

template <class Bits, class Table>
constexpr void put_dc(Bits& out, Table& table, std::int32_t difference) {
  const std::uint32_t size = size_of(difference);
  put(out, table, size, difference, size);
}

/// The AC coefficients of `block`, turned. Each has at most ten bits.
template <class Bits, class Table>
constexpr void put_ac(Bits& out, Table& table, const Order& order, const StoredBlock& block) {
  constexpr std::uint32_t sixteen_zeros = 0xF0, end_of_block = 0;
  std::uint64_t left = order.transposes ? transposed(block.set) : block.set;
  int previous = 0;
  while (left != 0) {
    const int k = lowest_bit(left);
    left &= left - 1;
    int run = k - previous - 1;
    previous = k;
    for (; run > 15; run -= 16) put(out, table, sixteen_zeros, 0, 0);
    std::int32_t value = block.value(order.source[k]);
    if ((order.negated >> k & 1) != 0) value = -value;
    const std::uint32_t size = size_of(value);
    put(out, table, static_cast<std::uint32_t>(run) << 4 | size, value, size);
  }
  if (previous != 63) put(out, table, end_of_block, 0, 0);
}

/// Gathers bits into words, the first bit highest, which it hands to put(word's number, word).
template <class Words>
class BitPacker {
 public:
  bool lacks_code = false;

  constexpr BitPacker(Words& words, std::uint32_t bit)
      : words_(words), at_(bit / 32), have_(bit % 32) {}

  constexpr void put(std::uint32_t bits, std::uint32_t count) {
    have_ += count;
    waiting_ |= std::uint64_t{bits} << (64 - have_);
    if (have_ < 32) return;
    words_.put(at_++, static_cast<std::uint32_t>(waiting_ >> 32));
    waiting_ <<= 32;
    have_ -= 32;
  }

  /// Fills the last byte with ones.
  constexpr void align() {
    const std::uint32_t open = (8 - have_ % 8) % 8;
    if (open != 0) put((1u << open) - 1, open);
  }
  constexpr void flush() {
    if (have_ != 0) words_.put(at_, static_cast<std::uint32_t>(waiting_ >> 32));
  }

 private:
  Words& words_;
  std::uint32_t at_, have_;
  std::uint64_t waiting_ = 0;
};

}  // namespace qturn::jpeg

#endif  // QTURN_KERNELS_JPEG_WRITING_HPP
