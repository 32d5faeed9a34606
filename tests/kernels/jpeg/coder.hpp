// The coder of kernels/jpeg, run on the CPU thread by thread, for the tests.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <utility>
#include <vector>

#include "kernels/jpeg/src/picture.hpp"
#include "kernels/jpeg/src/reading.hpp"
#include "kernels/jpeg/src/turn.hpp"
#include "kernels/jpeg/src/writing.hpp"
#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests {

using jpeg::Cut;
using jpeg::State;

/// The data of a scan without stuffing, each segment from a whole subsequence on.
struct Unstuffed {
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> segment_begin, segment_bytes;  // in subsequences; in bytes

  Unstuffed(std::span<const std::byte> data, Cut cut) {
    std::vector<unsigned char> bytes;
    std::size_t begin = 0;
    const auto end_segment = [&] {
      segment_begin.push_back(static_cast<std::uint32_t>(begin / cut.subsequence_bytes()));
      segment_bytes.push_back(static_cast<std::uint32_t>(bytes.size() - begin));
      while (bytes.size() % cut.subsequence_bytes() != 0) bytes.push_back(0xA5);
      begin = bytes.size();
    };
    for (std::size_t i = 0; i + 1 < data.size(); ++i) {
      const auto byte = std::to_integer<unsigned char>(data[i]);
      const auto next = std::to_integer<unsigned char>(data[i + 1]);
      if (byte == 0xFF && next != 0) {
        end_segment();
        if (next == 0xD9) break;
        ++i;
        continue;
      }
      bytes.push_back(byte);
      if (byte == 0xFF) ++i;
    }
    segment_begin.push_back(static_cast<std::uint32_t>(begin / cut.subsequence_bytes()));
    bytes.resize(bytes.size() + 64, 0x5A);
    words.resize(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
  }
};

struct Coefficients {
  std::vector<std::int16_t> dc, values;
  std::vector<std::uint64_t> sets;
  std::vector<std::uint8_t> parted;

  jpeg::StoredBlock block(std::size_t number) const {
    return {values.data() + 64 * number, sets[number], parted[number]};
  }
};

inline Coefficients no_coefficients(std::size_t blocks) {
  return {std::vector<std::int16_t>(blocks), std::vector<std::int16_t>(64 * blocks),
          std::vector<std::uint64_t>(blocks), std::vector<std::uint8_t>(blocks)};
}

class ReadTablesOf {
 public:
  explicit ReadTablesOf(const JpegScanLayout& scan, const jpeg::Layout& layout)
      : tables_(static_cast<std::size_t>(2 * scan.components)) {
    for (int i = 0; i < 2 * scan.components; ++i) {
      const auto& component = scan.component[i / 2];
      jpeg::make_read_table({i % 2 == 0 ? component.dc : component.ac, i % 2 == 0},
                            tables_[static_cast<std::size_t>(i)]);
    }
    for (std::uint32_t block = 0; block < layout.blocks_in_mcu; ++block) {
      for (std::uint32_t ac = 0; ac < 2; ++ac) {
        numbers_.push_back(static_cast<std::uint8_t>(2 * layout.component_of[block] + ac));
      }
    }
    view_ = {tables_.data(), numbers_.data(), layout.blocks_in_mcu};
  }
  const jpeg::ReadTables& view() const { return view_; }

 private:
  std::vector<jpeg::ReadTable> tables_;
  std::vector<std::uint8_t> numbers_;
  jpeg::ReadTables view_{};
};

/// Reads a segment as the threads do: guesses, corrected until the subsequences agree.
inline void read_segment(const Unstuffed& data, std::size_t segment, Cut cut,
                         const jpeg::Layout& layout, const jpeg::ReadTables& tables,
                         Coefficients& to) {
  const std::uint32_t begin = data.segment_begin[segment] * cut.subsequence_bits;
  const std::uint32_t end = begin + 8 * data.segment_bytes[segment];
  const std::uint32_t count = data.segment_begin[segment + 1] - data.segment_begin[segment];
  const auto begin_of = [&](std::uint32_t i) { return begin + i * cut.subsequence_bits; };
  const auto end_of = [&](std::uint32_t i) { return std::min(begin_of(i + 1), end); };
  std::vector<std::uint32_t> start(count), blocks(count);
  for (std::uint32_t i = 1; i < count; ++i) {
    State state{std::max(begin_of(i), begin + cut.warm_up_bits) - cut.warm_up_bits, 0, 0};
    jpeg::pass(data.words.data(), tables, state, begin_of(i));
    start[i] = state.packed(begin_of(i));
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = count; i-- > 0;) {  // backwards, so that each sees its neighbour's past
      State state = State::unpacked(start[i], begin_of(i));
      blocks[i] = jpeg::pass(data.words.data(), tables, state, end_of(i));
      if (i + 1 == count || start[i + 1] == state.packed(begin_of(i + 1))) continue;
      start[i + 1] = state.packed(begin_of(i + 1));
      changed = true;
    }
  }
  std::uint32_t number = static_cast<std::uint32_t>(segment) * layout.blocks_in_segment();
  const std::uint32_t last = layout.blocks_until(static_cast<std::uint32_t>(segment));
  bool ended = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    State state = State::unpacked(start[i], begin_of(i));
    std::uint32_t at = number;
    number += blocks[i];
    if (at >= last) continue;
    REQUIRE(jpeg::read(data.words.data(), tables, state, end_of(i), at, last,
                       {to.dc.data(), to.values.data(), to.sets.data(), to.parted.data()}));
    if (at != last) continue;
    ended = true;
    CHECK(state.bit <= end);
    CHECK(state.bit + 8 > end);
  }
  CHECK(ended);
}

inline void sum_dc(const jpeg::Layout& layout, Coefficients& of) {
  std::int16_t last[jpeg::most_components] = {};
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    if (i % layout.blocks_in_segment() == 0) std::fill(std::begin(last), std::end(last), 0);
    std::int16_t& sum = last[layout.component_of[i % layout.blocks_in_mcu]];
    sum = static_cast<std::int16_t>(sum + of.dc[i]);
    of.dc[i] = sum;
  }
}

/// Words of a block, and of all.
struct Words {
  std::vector<std::uint32_t> words;
  void put(std::uint32_t at, std::uint32_t word) { words.at(at) = word; }
};

class Writer {
 public:
  /// With the tables of `dst`.
  Writer(const jpeg::Turn& turn, const JpegScanLayout& dst, const Coefficients& from)
      : turn_(turn),
        order_(jpeg::order_of(turn_.reading)),
        from_(from),
        tables_(static_cast<std::size_t>(2 * dst.components)) {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const auto& component = dst.component[i / 2];
      jpeg::make_write_table(i % 2 == 0 ? component.dc : component.ac, tables_[i]);
    }
  }

  Bytes write() {
    const jpeg::Layout& layout = turn_.dst;
    constexpr std::size_t block_words = (jpeg::most_block_bits + 31) / 32;
    constexpr std::uint32_t tile_blocks = 5;
    std::vector<std::uint32_t> words, ends;
    std::vector<jpeg::TileString> tiles;
    jpeg::Runs runs;
    for (std::uint32_t first = 0; first < layout.blocks(); first += tile_blocks) {
      const std::uint32_t end = std::min(first + tile_blocks, layout.blocks());
      std::vector<std::uint32_t> parts[2];
      for (auto& part : parts) part.resize(tile_blocks * block_words + 1);
      jpeg::Runs own;
      for (std::uint32_t i = first; i < end; ++i) {
        Words block{std::vector<std::uint32_t>(block_words)};
        jpeg::BitPacker out(block);
        put_block(i, out);
        const std::uint32_t bits = out.end();
        CHECK(!out.lacks_code());
        const std::uint32_t part = own.ends == 0 ? 0 : 1, begin = jpeg::bits_of_part(own, part);
        const jpeg::StringInWords to(parts[part].data(), begin);
        for (std::uint32_t k = 0; k < jpeg::words_of(bits); ++k) to.put(k, block.words[k]);
        own.add(bits);
        if ((i + 1) % layout.blocks_in_segment() != 0 && i + 1 != layout.blocks()) continue;
        if (part == 1) jpeg::fill_byte(parts[1].data(), begin + bits);
        own.end_segment(8);
        ends.push_back(jpeg::AddRuns{8}(runs, own).begin(8));
      }
      tiles.push_back(jpeg::string_after(runs, own));
      tiles.back().word = static_cast<std::uint32_t>(words.size());
      for (std::uint32_t part = 0; part < 2; ++part) {
        const auto count =
            static_cast<std::ptrdiff_t>(jpeg::words_of(jpeg::bits_of_part(own, part)));
        words.insert(words.end(), parts[part].begin(), parts[part].begin() + count);
      }
      runs = jpeg::AddRuns{8}(runs, own);
    }
    words.push_back(0x5A5A5A5A);
    const auto count = static_cast<std::uint32_t>(tiles.size());
    tiles.emplace_back().begin = 8 * ends.back();
    jpeg::CodeStrings strings(words.data(), tiles.data(), 0, count);
    std::vector<std::uint32_t> whole;
    for (std::uint32_t bit = 0; bit < 8 * ends.back(); bit += 32) {
      whole.push_back(strings.next(bit));
    }
    return stuffed(whole, ends);
  }

 private:
  template <class Bits>
  void put_block(std::uint32_t number, Bits& out) const {
    const std::uint32_t mcu = number / turn_.dst.blocks_in_mcu;
    const std::uint32_t block = number % turn_.dst.blocks_in_mcu;
    const std::size_t table = 2 * std::size_t{turn_.dst.component_of[block]};
    const std::uint32_t source = turn_.source(mcu, block);
    if (source == jpeg::no_block) {
      jpeg::put_dc(out, tables_[table], 0);
      jpeg::put_ac(out, tables_[table + 1], order_, {});
      return;
    }
    const std::uint32_t before = turn_.predecessor(mcu, block);
    jpeg::put_dc(out, tables_[table],
                 from_.dc[source] - (before == jpeg::no_block ? 0 : from_.dc[before]));
    jpeg::put_ac(out, tables_[table + 1], order_, from_.block(source));
  }

  static Bytes stuffed(const std::vector<std::uint32_t>& words,
                       const std::vector<std::uint32_t>& ends) {
    Bytes data;
    const auto put = [&](std::uint32_t byte) { data.push_back(static_cast<std::byte>(byte)); };
    for (std::uint32_t i = 0, segment = 0; i < ends.back(); ++i) {
      if (i == ends[segment]) {
        put(0xFF);
        put(0xD0 + segment++ % 8);
      }
      const std::uint32_t byte = words[i / 4] >> (24 - i % 4 * 8) & 0xFF;
      put(byte);
      if (byte == 0xFF) put(0);
    }
    put(0xFF);
    put(0xD9);
    return data;
  }

  jpeg::Turn turn_;
  jpeg::Order order_;
  const Coefficients& from_;
  std::vector<jpeg::WriteTable> tables_;
};

inline Coefficients read_scan(const JpegScanLayout& src, std::span<const std::byte> from, Cut cut) {
  const jpeg::Layout layout = jpeg::layout_of(src);
  const Unstuffed data(from, cut);
  REQUIRE(data.segment_bytes.size() == layout.segments());
  const ReadTablesOf tables(src, layout);
  Coefficients read = no_coefficients(layout.blocks());
  for (std::size_t i = 0; i < layout.segments(); ++i) {
    read_segment(data, i, cut, layout, tables.view(), read);
  }
  sum_dc(layout, read);
  return read;
}

}  // namespace qturn::tests
