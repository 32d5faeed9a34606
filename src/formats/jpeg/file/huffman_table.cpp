#include "src/formats/jpeg/file/huffman_table.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernels/jpeg/src/best_table.hpp"

namespace qturn::jpeg {
namespace {

constexpr int longest = 16;

struct Code {
  std::uint8_t symbol;
  int length;
  int room() const { return 1 << (longest - length); }  // of the 65,536 codes of 16 bits
};

std::vector<std::uint8_t> known_symbols(JpegSymbols symbols) {
  std::vector<std::uint8_t> known;
  if (symbols == JpegSymbols::dc) {
    for (int size = 0; size <= 11; ++size) known.push_back(static_cast<std::uint8_t>(size));
    return known;
  }
  const int largest = symbols == JpegSymbols::ac_refined ? 1 : 10;
  for (int run = 0; run < 16; ++run) {
    for (int size = 0; size <= largest; ++size) {
      // Without a size only the end of block and the run of sixteen zeros; in a progressive picture
      // also the end of 1 << run blocks.
      if (size > 0 || run == 0 || run == 15 || symbols != JpegSymbols::ac)
        known.push_back(static_cast<std::uint8_t>(run << 4 | size));
    }
  }
  return known;
}

// Damaged tables are left out. A file may have them if nothing is coded with them.
bool is_sound(const JpegHuffmanTable& table) {
  std::array<bool, 256> has_code{};
  std::size_t count = 0;
  int room = 1 << longest;
  for (int length = 1; length <= longest; ++length) {
    for (int i = 0; i < table.bits[static_cast<std::size_t>(length)]; ++i, ++count) {
      if (count == table.symbols.size()) return false;
      if (std::exchange(has_code[table.symbols[count]], true)) return false;
      room -= 1 << (longest - length);
    }
  }
  return room >= 0;
}

}  // namespace

HuffmanCodes::HuffmanCodes(const JpegHuffmanTable& table) {
  std::uint32_t next = 0;
  std::size_t symbol = 0;
  for (std::size_t bits = 1; bits < table.bits.size(); ++bits, next <<= 1) {
    for (int i = 0; i < table.bits[bits]; ++i, ++symbol, ++next) {
      code[table.symbols[symbol]] = next;
      length[table.symbols[symbol]] = static_cast<std::uint8_t>(bits);
    }
  }
}

bool codes_dc_sizes(const JpegHuffmanTable& table) {
  constexpr int largest = 15;
  const auto symbols = std::span(table.symbols).first(table.symbol_count());
  return std::ranges::all_of(symbols, [](int symbol) { return symbol <= largest; });
}

JpegHuffmanTable complete(const JpegHuffmanTable& table, JpegSymbols symbols) {
  if (!is_sound(table) || (symbols == JpegSymbols::dc && !codes_dc_sizes(table))) {
    return complete(JpegHuffmanTable{}, symbols);
  }
  std::vector<Code> codes;
  std::array<bool, 256> has_code{};
  int room = (1 << longest) - 1;  // the code of sixteen ones is not allowed
  for (int length = 1; length <= longest; ++length) {
    for (int i = 0; i < table.bits[static_cast<std::size_t>(length)]; ++i) {
      codes.push_back({table.symbols[codes.size()], length});
      has_code[codes.back().symbol] = true;
      room -= codes.back().room();
    }
  }
  std::vector<Code> missing;
  for (const std::uint8_t symbol : known_symbols(symbols)) {
    if (!has_code[symbol]) missing.push_back({symbol, longest});
  }

  // The rarest symbol that frees enough when lengthened; if there is none, what frees most.
  for (int lacking = static_cast<int>(missing.size()) - room; lacking > 0;) {
    auto lengthened = std::find_if(codes.rbegin(), codes.rend(),
                                   [&](const Code& code) { return code.room() / 2 >= lacking; });
    if (lengthened == codes.rend()) lengthened = std::prev(codes.rend());
    lacking -= lengthened->room() / 2;
    ++lengthened->length;
    std::ranges::stable_sort(codes, {}, &Code::length);
  }

  codes.insert(codes.end(), missing.begin(), missing.end());
  JpegHuffmanTable completed;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    ++completed.bits[static_cast<std::size_t>(codes[i].length)];
    completed.symbols[i] = codes[i].symbol;
  }
  return completed;
}

JpegHuffmanTable best_table(const JpegSymbolCounts& counts) {
  TableMaker<std::uint64_t> maker;
  std::ranges::copy(counts, maker.counts.of);
  for (std::uint32_t symbol = 0; symbol < most_symbols; ++symbol) maker.sort_in(symbol);
  constexpr bool all = false, dc = false;
  return maker.make(all, dc);
}

}  // namespace qturn::jpeg
