#include "kernels/jpeg/src/tables.hpp"

#include <algorithm>
#include <iterator>

namespace qturn::jpeg {

bool is_prefix_code(const JpegHuffmanTable& table) {
  std::uint32_t code = 0, count = 0;
  for (std::uint32_t length = 1; length <= longest_code; ++length, code <<= 1) {
    code += table.bits[length];
    count += table.bits[length];
    if (code >= 1u << length || count > table.symbols.size()) return false;
  }
  return count > 0;
}

void make_read_table(const CodedTable& coded, ReadTable& made) {
  ReadTableMaker maker;
  maker.find_lengths(coded.table);
  for (std::uint32_t i = 0; i < maker.lookups; ++i)
    maker.first[i] = maker.first_entry(coded, i).word();
  for (std::uint32_t i = 0; i < maker.lookups; ++i) made.lookup[i] = maker.lookup(coded, i);
  std::copy(coded.table.symbols.begin(), coded.table.symbols.end(), std::begin(made.symbols));
  maker.finish(coded, made);
}

void make_write_table(const JpegHuffmanTable& table, WriteTable& made) {
  std::fill(std::begin(made.code), std::end(made.code), 0);
  add_codes(table, made);
}

}  // namespace qturn::jpeg
