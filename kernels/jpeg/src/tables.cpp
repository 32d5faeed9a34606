#include "kernels/jpeg/src/tables.hpp"

#include <algorithm>
#include <iterator>

namespace qturn::jpeg {
namespace {

constexpr std::uint32_t lookups = 1 << lookup_bits;

// The codes after each other that `lookup` holds whole. The values may go beyond it.
Entry with_leap(const ReadTable& table, std::uint32_t lookup) {
  constexpr std::uint32_t most_bits = 31;
  const Entry first(table.lookup[lookup]);
  std::uint32_t bits = 0, advance = 0, codes = 0;
  bool ends = false;
  while (bits < lookup_bits && !ends) {
    const Entry next(table.lookup[lookup << bits & (lookups - 1)]);
    if (next.empty() || next.length() > lookup_bits - bits) break;
    ends = next.advance() == end_of_block_advance;
    if (bits + next.bits() > most_bits) break;
    bits += next.bits();
    if (!ends) advance += next.advance();
    ++codes;
  }
  if (codes < 2 || advance >= coefficients) return first;
  return first.with_leap(bits, advance, ends);
}

}  // namespace

bool is_prefix_code(const JpegHuffmanTable& table) {
  std::uint32_t code = 0, count = 0;
  for (std::uint32_t length = 1; length <= longest_code; ++length, code <<= 1) {
    code += table.bits[length];
    count += table.bits[length];
    if (code >= 1u << length || count > table.symbols.size()) return false;
  }
  return count > 0;
}

void make_read_table(const JpegHuffmanTable& table, bool dc, ReadTable& made) {
  std::fill(std::begin(made.lookup), std::end(made.lookup), 0);
  std::copy(table.symbols.begin(), table.symbols.end(), std::begin(made.symbols));
  made.is_dc = dc ? 1 : 0;
  for_each_code(table, [&](std::uint8_t symbol, std::uint32_t code, std::uint32_t length) {
    if (length > lookup_bits) return;
    const std::uint32_t shift = lookup_bits - length;
    std::fill_n(made.lookup + (code << shift), 1u << shift,
                ReadTable::entry_of(symbol, length, dc).word());
  });
  std::uint32_t code = 0, symbol = 0;
  for (std::uint32_t length = 1; length <= longest_code; ++length, code <<= 1) {
    const std::uint32_t first = code, first_symbol = symbol;
    code += table.bits[length];
    symbol += table.bits[length];
    if (length == lookup_bits) made.first_long = code << (longest_code - length);
    if (length <= lookup_bits) continue;
    const std::uint32_t i = length - lookup_bits - 1;
    made.limit[i] = code << (longest_code - length);
    made.offset[i] = static_cast<std::int32_t>(first_symbol) - static_cast<std::int32_t>(first);
  }
  if (dc) return;
  std::uint32_t with_leaps[lookups];
  for (std::uint32_t i = 0; i < lookups; ++i) with_leaps[i] = with_leap(made, i).word();
  std::copy(std::begin(with_leaps), std::end(with_leaps), std::begin(made.lookup));
}

void make_write_table(const JpegHuffmanTable& table, WriteTable& made) {
  std::fill(std::begin(made.code), std::end(made.code), 0);
  add_codes(table, made);
}

}  // namespace qturn::jpeg
