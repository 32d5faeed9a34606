// Huffman tables, made for reading and for writing.
//
// A lookup of the next ten bits finds the first code and, if they fit, the codes after it as one
// leap: how many bits they take with their values, and how many coefficients they pass. A thread
// that only looks for the ends of blocks needs no more than that. Longer codes are found by
// comparing: codes of a length, moved to the left, are all below a limit.
#pragma once

#include <qturn/jpeg_huffman_table.hpp>

#include <cstdint>

#include "kernels/jpeg/src/machine.hpp"

namespace qturn::jpeg {

inline constexpr std::uint32_t lookup_bits = 10, longest_code = 16;
inline constexpr std::uint32_t coefficients = 64;
/// What the end of block passes: more than any run that goes on after the end of its block.
inline constexpr std::uint32_t end_of_block_advance = coefficients + 16;

/// The first code of a lookup in the lower half, a leap in the upper one. 0: not in the table.
class Entry {
 public:
  constexpr Entry() = default;
  constexpr explicit Entry(std::uint32_t bits) : bits_(bits) {}
  constexpr Entry(std::uint32_t length, std::uint32_t size, std::uint32_t advance)
      : bits_((length + size) | size << 5 | advance << 9) {}
  constexpr Entry with_leap(std::uint32_t bits, std::uint32_t advance, bool ends) const {
    return Entry(bits_ | bits << 16 | advance << 21 | (ends ? 1u : 0u) << 28);
  }

  constexpr bool empty() const { return bits_ == 0; }
  constexpr std::uint32_t word() const { return bits_; }

  constexpr std::uint32_t bits() const { return bits_ & 31; }       ///< of the code and its value
  constexpr std::uint32_t size() const { return bits_ >> 5 & 15; }  ///< of the value
  constexpr std::uint32_t length() const { return bits() - size(); }
  /// How many coefficients it passes, its own included.
  constexpr std::uint32_t advance() const { return bits_ >> 9 & 127; }

  /// The value, where `next` are the bits from the code on. One whose first bit is 0 is negative,
  /// with its bits inverted.
  constexpr std::int32_t value(std::uint32_t next) const {
    const std::uint32_t from = next << length();
    const std::uint32_t sign = ~static_cast<std::uint32_t>(static_cast<std::int32_t>(from) >> 31);
    return static_cast<std::int32_t>((funnel(0, from ^ sign, size()) ^ sign) - sign);
  }

  constexpr std::uint32_t leap_bits() const { return bits_ >> 16 & 31; }  ///< 0: there is none
  constexpr std::uint32_t leap_advance() const { return bits_ >> 21 & 127; }
  constexpr bool leap_ends() const { return (bits_ >> 28 & 1) != 0; }  ///< with its block

 private:
  std::uint32_t bits_ = 0;
};

/// Reads codes. A symbol that baseline JPEG does not have counts as a symbol without a code.
struct ReadTable {
  static constexpr std::uint32_t long_codes = longest_code - lookup_bits;

  std::uint32_t lookup[1 << lookup_bits];
  std::uint32_t first_long;         ///< code that is longer than a lookup, moved to the left
  std::uint32_t limit[long_codes];  ///< of the codes of this length, moved to the left of 16 bits
  std::int32_t offset[long_codes];  ///< from a code to its symbol
  std::uint8_t symbols[256];
  std::uint32_t is_dc;

  /// The entry that the next bits, the first one highest, begin with; empty if there is none.
  constexpr Entry find(std::uint32_t next) const {
    const Entry found(lookup[next >> (32 - lookup_bits)]);
    return found.empty() ? find_long(next >> 16) : found;
  }

  constexpr Entry find_long(std::uint32_t next16) const {
    if (next16 < first_long) return {};
    for (std::uint32_t i = 0; i < long_codes; ++i) {
      if (next16 >= limit[i]) continue;
      const std::uint32_t length = lookup_bits + 1 + i;
      const auto at = static_cast<std::int32_t>(next16 >> (longest_code - length)) + offset[i];
      return entry_of(symbols[at & 255], length, is_dc != 0);
    }
    return {};
  }

  static constexpr Entry entry_of(std::uint32_t symbol, std::uint32_t length, bool dc) {
    const std::uint32_t run = symbol >> 4, size = symbol & 15;
    if (dc) return symbol <= 11 ? Entry(length, symbol, 1) : Entry();
    if (symbol == 0) return {length, 0, end_of_block_advance};
    if (size > 10 || (size == 0 && run != 15)) return {};
    return {length, size, run + 1};
  }
};

/// What writes codes: for each symbol its code with room for the bits of a value, moved to the left
/// by five, and how many bits that are; 0 for a symbol that has no code.
struct WriteTable {
  std::uint32_t code[256];
};

/// Calls visit(symbol, code, length) for each code in order.
template <class Visit>
constexpr void for_each_code(const JpegHuffmanTable& table, Visit visit) {
  std::uint32_t code = 0;
  std::size_t symbol = 0;
  for (std::uint32_t length = 1; length <= longest_code; ++length, code <<= 1) {
    for (int i = 0; i < table.bits[length]; ++i, ++code, ++symbol) {
      visit(table.symbols[symbol], code, length);
    }
  }
}

/// Whether it is a prefix code without the code of ones only.
bool is_prefix_code(const JpegHuffmanTable& table);

/// What a ReadTable is made of.
struct CodedTable {
  JpegHuffmanTable table;  ///< a prefix code
  bool is_dc;
};

/// Makes a ReadTable, entry by entry, so that many threads can do it. Threads that share it wait
/// for each other after each step.
struct ReadTableMaker {
  static constexpr std::uint32_t lookups = 1 << lookup_bits;

  std::uint32_t limit[longest_code + 1];  ///< of the codes of each length, as in ReadTable
  std::int32_t offset[longest_code + 1];
  std::uint32_t first[lookups];  ///< first_entry() of each lookup

  /// To be called first.
  constexpr void find_lengths(const JpegHuffmanTable& table) {
    std::uint32_t code = 0, symbol = 0;
    for (std::uint32_t length = 1; length <= longest_code; ++length, code <<= 1) {
      offset[length] = static_cast<std::int32_t>(symbol) - static_cast<std::int32_t>(code);
      code += table.bits[length];
      symbol += table.bits[length];
      limit[length] = code << (longest_code - length);
    }
  }

  constexpr Entry first_entry(const CodedTable& of, std::uint32_t lookup) const {
    const std::uint32_t next16 = lookup << (longest_code - lookup_bits);
    for (std::uint32_t length = 1; length <= lookup_bits; ++length) {
      if (next16 >= limit[length]) continue;
      const auto at = static_cast<std::int32_t>(next16 >> (longest_code - length)) + offset[length];
      return ReadTable::entry_of(of.table.symbols[static_cast<std::uint32_t>(at) & 255], length,
                                 of.is_dc);
    }
    return {};
  }

  /// The codes after each other that `lookup` holds whole. The values may go beyond it. Needs all
  /// of `first`.
  constexpr Entry with_leap(std::uint32_t lookup) const {
    constexpr std::uint32_t most_bits = 31;
    const Entry found(first[lookup]);
    std::uint32_t bits = 0, advance = 0, codes = 0;
    bool ends = false;
    while (bits < lookup_bits && !ends) {
      const Entry next(first[lookup << bits & (lookups - 1)]);
      if (next.empty() || next.length() > lookup_bits - bits) break;
      ends = next.advance() == end_of_block_advance;
      if (bits + next.bits() > most_bits) break;
      bits += next.bits();
      if (!ends) advance += next.advance();
      ++codes;
    }
    if (codes < 2 || advance >= coefficients) return found;
    return found.with_leap(bits, advance, ends);
  }

  constexpr std::uint32_t lookup(const CodedTable& of, std::uint32_t lookup) const {
    return of.is_dc ? first[lookup] : with_leap(lookup).word();
  }

  /// Puts everything but lookups and symbols where it belongs.
  constexpr void finish(const CodedTable& of, ReadTable& made) const {
    made.is_dc = of.is_dc ? 1 : 0;
    made.first_long = limit[lookup_bits];
    for (std::uint32_t i = 0; i < ReadTable::long_codes; ++i) {
      made.limit[i] = limit[lookup_bits + 1 + i];
      made.offset[i] = offset[lookup_bits + 1 + i];
    }
  }
};

/// The same by one thread.
void make_read_table(const CodedTable& coded, ReadTable& made);

/// `made` has no codes yet.
constexpr void add_codes(const JpegHuffmanTable& table, WriteTable& made) {
  for_each_code(table, [&](std::uint8_t symbol, std::uint32_t code, std::uint32_t length) {
    const std::uint32_t size = symbol & 15;
    made.code[symbol] = code << size << 5 | (length + size);
  });
}
void make_write_table(const JpegHuffmanTable& table, WriteTable& made);

}  // namespace qturn::jpeg
