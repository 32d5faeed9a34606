// Huffman tables made for a picture, as T.81, Annex K.2, makes them: they code its symbols in the
// fewest bits. The CPU makes its tables here, too, because the file has to be the same.
#pragma once

#include <qturn/jpeg_huffman_table.hpp>

#include <cstdint>

#include "kernels/jpeg/src/tables.hpp"

namespace qturn::jpeg {

inline constexpr std::uint32_t most_symbols = 256;

/// How often each symbol is coded.
template <typename Count>
struct SymbolCountsIn {
  Count of[most_symbols];
};
using SymbolCounts = SymbolCountsIn<std::uint32_t>;

/// Whether sequential scans of 8-bit JPEGs have this symbol.
constexpr bool is_known(std::uint32_t symbol, bool dc) {
  if (dc) return symbol <= 11;
  const std::uint32_t run = symbol >> 4, size = symbol & 15;
  return size == 0 ? run == 0 || run == 15 : size <= 10;
}

/// Makes a table. Large, so that it lies in shared memory. A Count holds the sum of all.
template <typename Count = std::uint32_t>
class TableMaker {
 public:
  SymbolCountsIn<Count> counts;

  /// Sorts one symbol in. Any number of threads call it, once for each symbol.
  constexpr void sort_in(std::uint32_t symbol) {
    const Count count = counts.of[symbol];
    if (count == 0) return;
    std::uint32_t rank = 0;
    for (std::uint32_t other = 0; other < most_symbols; ++other) {
      const Count its = counts.of[other];
      if (its != 0 && (its < count || (its == count && other < symbol))) ++rank;
    }
    symbols_[rank] = static_cast<std::uint8_t>(symbol);
    nodes_[rank + 1] = count;
  }

  /// The table of the symbols that occur. At least one must occur. With `all`, every known symbol
  /// has a code.
  constexpr JpegHuffmanTable make(bool all, bool dc) {
    std::uint32_t count = 0;
    for (const Count each : counts.of) count += each != 0 ? 1 : 0;
    find_depths(count + 1);
    limit();
    // The leaf that is never coded has one of the longest codes.
    std::uint32_t longest = longest_code;
    while (of_length_[longest] == 0) --longest;
    --of_length_[longest];
    std::uint32_t at = 0;
    for (std::uint32_t length = 1; length <= longest_code; ++length) {
      for (std::uint32_t i = 0; i < of_length_[length]; ++i, ++at) {
        codes_[at] = {symbols_[count - 1 - at], static_cast<std::uint8_t>(length)};
      }
    }
    if (all) add_missing(count, dc);
    JpegHuffmanTable table;
    for (std::uint32_t i = 0; i < count; ++i) {
      ++table.bits[codes_[i].length];
      table.symbols[i] = codes_[i].symbol;
    }
    return table;
  }

 private:
  static constexpr std::uint32_t most_leaves = most_symbols + 1;

  struct Code {
    std::uint8_t symbol, length;
    constexpr std::uint32_t room() const { return 1u << (longest_code - length); }
  };

  // The depth of each leaf in the tree. The leaves come first and are sorted; a node's parent comes
  // after it. A leaf of count 0, never coded, keeps the code of ones only free.
  constexpr void find_depths(std::uint32_t leaves) {
    nodes_[0] = 0;
    std::uint32_t leaf = 0, inner = leaves, end = leaves;
    const std::uint32_t all = 2 * leaves - 1;
    while (end < all) {
      Count sum = 0;
      for (int i = 0; i < 2; ++i) {
        const bool takes_leaf = leaf < leaves && (inner == end || nodes_[leaf] <= nodes_[inner]);
        const std::uint32_t rarest = takes_leaf ? leaf++ : inner++;
        parents_[rarest] = static_cast<std::uint16_t>(end);
        sum += nodes_[rarest];
      }
      nodes_[end++] = sum;
    }
    for (std::uint32_t& count : of_length_) count = 0;
    // From here on `nodes_` has depths.
    nodes_[all - 1] = 0;
    for (std::uint32_t node = all - 1; node-- > 0;) {
      nodes_[node] = nodes_[parents_[node]] + 1;
      if (node < leaves) ++of_length_[nodes_[node]];
    }
  }

  // Two codes that are too long become one that is a bit shorter and one below a shorter code,
  // which splits.
  constexpr void limit() {
    for (std::uint32_t length = most_leaves - 1; length > longest_code; --length) {
      while (of_length_[length] > 0) {
        std::uint32_t shorter = length - 2;
        while (of_length_[shorter] == 0) --shorter;
        of_length_[length] -= 2;
        ++of_length_[length - 1];
        of_length_[shorter + 1] += 2;
        --of_length_[shorter];
      }
    }
  }

  // Makes room for codes of sixteen bits: lengthens the rarest symbol that frees enough, or the
  // symbol that frees most.
  constexpr void add_missing(std::uint32_t& count, bool dc) {
    std::int32_t lacking = -((1 << longest_code) - 1);
    for (std::uint32_t i = 0; i < count; ++i) {
      lacking += static_cast<std::int32_t>(codes_[i].room());
    }
    for (std::uint32_t symbol = 0; symbol < most_symbols; ++symbol) {
      if (is_known(symbol, dc) && counts.of[symbol] == 0) ++lacking;
    }
    while (lacking > 0) {
      std::uint32_t i = count - 1;
      while (i > 0 && static_cast<std::int32_t>(codes_[i].room() / 2) < lacking) --i;
      Code code = codes_[i];
      lacking -= static_cast<std::int32_t>(code.room() / 2);
      ++code.length;
      for (; i + 1 < count && codes_[i + 1].length < code.length; ++i) codes_[i] = codes_[i + 1];
      codes_[i] = code;
    }
    for (std::uint32_t symbol = 0; symbol < most_symbols; ++symbol) {
      if (!is_known(symbol, dc) || counts.of[symbol] != 0) continue;
      codes_[count++] = {static_cast<std::uint8_t>(symbol), longest_code};
    }
  }

  Count nodes_[2 * most_leaves];
  std::uint16_t parents_[2 * most_leaves];
  std::uint32_t of_length_[most_leaves];
  std::uint8_t symbols_[most_symbols];  ///< that occur, the rarest first
  Code codes_[most_symbols];
};

}  // namespace qturn::jpeg
