#include "src/formats/jpeg/file/huffman_table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <set>

namespace jpeg_huffman_test {

using qturn::JpegHuffmanTable;
using qturn::jpeg::best_table;
using qturn::jpeg::complete;
using qturn::jpeg::JpegSymbolCounts;
using qturn::jpeg::JpegSymbols;

namespace {

/// Of 65,536 codes of 16 bits, how many the table's codes take.
int room_taken(const JpegHuffmanTable& table) {
  int taken = 0;
  for (int length = 1; length <= 16; ++length)
    taken += table.bits[static_cast<std::size_t>(length)] << (16 - length);
  return taken;
}

std::set<int> symbols_of(const JpegHuffmanTable& table) {
  const int count = std::accumulate(table.bits.begin(), table.bits.end(), 0);
  return {table.symbols.begin(), table.symbols.begin() + count};
}

}  // namespace

TEST_CASE("A table of one symbol gets codes for all, and the all-ones code stays free") {
  JpegHuffmanTable table;
  table.bits[1] = 1;
  table.symbols[0] = 0;
  const JpegHuffmanTable dc = complete(table, JpegSymbols::dc);
  CHECK(symbols_of(dc).size() == 12);
  CHECK(dc.bits[1] == 1);
  CHECK(room_taken(dc) < 65536);

  const JpegHuffmanTable ac = complete(table, JpegSymbols::ac);
  CHECK(symbols_of(ac).size() == 162);
  CHECK(symbols_of(ac).count(0xF0) == 1);
  CHECK(symbols_of(ac).count(0xE0) == 0);
  CHECK(room_taken(ac) < 65536);
}

TEST_CASE("A full table makes room by lengthening its rarest symbols") {
  // 1, 2, 3, ... 15 and two of 16 bits would be full; the last code, all ones, is not allowed.
  JpegHuffmanTable table;
  for (std::uint8_t length = 1; length <= 16; ++length) {
    table.bits[length] = 1;
    table.symbols[length - 1] =
        static_cast<std::uint8_t>(0x01 + (length - 1) % 10 + 0x10 * ((length - 1) / 10));
  }
  REQUIRE(room_taken(table) == 65535);
  const JpegHuffmanTable ac = complete(table, JpegSymbols::ac);
  CHECK(symbols_of(ac).size() == 162);
  CHECK(room_taken(ac) < 65536);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(ac.bits[i + 1] == 1);
    CHECK(ac.symbols[i] == table.symbols[i]);
  }
}

TEST_CASE("A table that lacks nothing stays as it is") {
  JpegHuffmanTable table;
  table.bits[4] = 12;
  for (std::uint8_t size = 0; size < 12; ++size)
    table.symbols[size] = static_cast<std::uint8_t>(11 - size);
  CHECK(complete(table, JpegSymbols::dc) == table);
}

TEST_CASE("A table that is not a prefix code is replaced by one that is") {
  const JpegHuffmanTable fresh = complete(JpegHuffmanTable{}, JpegSymbols::ac);
  JpegHuffmanTable crowded;  // three codes of one bit
  crowded.bits[1] = 3;
  crowded.symbols = {1, 2, 3};
  CHECK(complete(crowded, JpegSymbols::ac) == fresh);
  JpegHuffmanTable twice;
  twice.bits[2] = 2;
  twice.symbols = {1, 1};
  CHECK(complete(twice, JpegSymbols::ac) == fresh);
  JpegHuffmanTable many;
  for (std::size_t length = 9; length <= 16; ++length) many.bits[length] = 255;
  CHECK(complete(many, JpegSymbols::ac) == fresh);
}

TEST_CASE("A table of DC coefficients with a symbol that is not a size is replaced") {
  JpegHuffmanTable table;
  table.bits[1] = 1;
  table.bits[2] = 1;
  table.symbols[1] = 15;
  CHECK(qturn::jpeg::codes_dc_sizes(table));
  table.symbols[1] = 16;
  CHECK_FALSE(qturn::jpeg::codes_dc_sizes(table));
  CHECK(qturn::jpeg::codes_dc_sizes(complete(table, JpegSymbols::dc)));
  // Tables for AC coefficients have these symbols.
  CHECK_FALSE(qturn::jpeg::codes_dc_sizes(complete(table, JpegSymbols::ac)));
}

TEST_CASE("The best table of one symbol is one code of one bit") {
  JpegSymbolCounts counts{};
  counts[7] = 3;
  const JpegHuffmanTable table = best_table(counts);
  CHECK(table.bits[1] == 1);
  CHECK(symbols_of(table) == std::set<int>{7});
}

TEST_CASE("The best table gives the shortest codes to the most frequent symbols") {
  JpegSymbolCounts counts{};
  // Huffman's tree of these counts and a leaf that is never coded: 1, 2, 3, 4 and 5 bits, and 5.
  counts[1] = 3;
  counts[2] = 40;
  counts[3] = 20;
  counts[4] = 10;
  counts[5] = 5;
  const JpegHuffmanTable table = best_table(counts);
  for (std::size_t length = 1; length <= 5; ++length) CHECK(table.bits[length] == 1);
  for (std::size_t i = 0; i < 4; ++i) CHECK(table.symbols[i] == i + 2);
  CHECK(table.symbols[4] == 1);
}

TEST_CASE("Codes of the best table have at most 16 bits, even where Huffman's would be longer") {
  JpegSymbolCounts counts{};
  counts[0] = counts[1] = 1;  // Fibonacci's numbers make the deepest tree
  for (std::size_t symbol = 2; symbol < 60; ++symbol)
    counts[symbol] = counts[symbol - 1] + counts[symbol - 2];
  const JpegHuffmanTable table = best_table(counts);
  CHECK(symbols_of(table).size() == 60);
  CHECK(room_taken(table) <= 65535);
  CHECK(table.bits[1] == 1);
  CHECK(table.symbols[0] == 59);
}

}  // namespace jpeg_huffman_test
