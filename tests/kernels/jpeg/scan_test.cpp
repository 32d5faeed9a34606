// The coder of kernels/jpeg, run on the CPU thread by thread: what it makes of a scan must be what
// libjpeg and the CPU's writer make of it, byte for byte.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <random>
#include <vector>

#include "tests/kernels/jpeg/coder.hpp"

namespace qturn::tests::jpeg_scan_test {
namespace {

TEST_CASE("coefficients read from many places at once are libjpeg's") {
  const auto cut = GENERATE(Cut{jpeg::most_block_bits, 32}, Cut{1760, 2048}, Cut{2400, 1024});
  for (JpegPicture kind : one_scan_kinds()) {
    kind.width = 331, kind.height = 167;
    const Bytes file = make_jpeg(kind);
    const ScanTurn scan(file, Orientation::identity);
    const Coefficients read = read_scan(scan.turn.src, scan.data(), cut);
    const jpeg::Layout layout = jpeg::layout_of(scan.turn.src);
    const JpegInside wanted = look_inside(file);
    int different = 0;
    for (std::uint32_t c = 0; c < layout.components; ++c) {
      const auto& component = wanted.components[c];
      REQUIRE(component.blocks_wide == static_cast<int>(layout.component[c].width));
      REQUIRE(component.blocks_high == static_cast<int>(layout.component[c].height));
      for (std::uint32_t i = 0; i < component.blocks.size(); ++i) {
        const std::uint32_t wide = layout.component[c].width;
        const std::size_t at = layout.number(c, {i % wide, i / wide});
        different += component.blocks[i][0] != read.dc[at];
        for (std::uint32_t k = 1; k < 64; ++k) {
          const int value = (read.sets[at] >> k & 1) != 0
                                ? read.block(at).value(jpeg::CoefficientPlace::of(k, false))
                                : 0;
          different += component.blocks[i][jpeg::zigzag[k]] != value;
        }
      }
    }
    CHECK(different == 0);
  }
}

TEST_CASE("a turned scan equals the CPU's, byte for byte") {
  for (JpegPicture kind : one_scan_kinds()) {
    for (const Size size : {Size{96, 64}, Size{91, 61}, Size{33, 40}}) {
      kind.width = static_cast<int>(size.width), kind.height = static_cast<int>(size.height);
      const Bytes file = make_jpeg(kind);
      for (const Orientation orientation : all_orientations) {
        const ScanTurn scan(file, orientation);
        if (scan.turn.dst.size.width == 0 || scan.turn.dst.size.height == 0) continue;
        INFO("sampling " << kind.h << "x" << kind.v << ", space " << kind.space << ", "
                         << size.width << "x" << size.height << ", " << name(orientation));
        const Coefficients read =
            read_scan(scan.turn.src, scan.data(), Cut{jpeg::most_block_bits, 128});
        CHECK(Writer(jpeg::turn_of(scan.turn), scan.turn.dst, read).write() ==
              turned_scan_data(file, orientation));
      }
    }
  }
}

TEST_CASE("lengths of pieces add up to the same, however they are grouped") {
  std::mt19937 random(1);
  const jpeg::AddRuns add{8};
  for (int round = 0; round < 200; ++round) {
    std::vector<jpeg::Runs> pieces(12);
    for (jpeg::Runs& piece : pieces) {
      piece.add(static_cast<std::uint32_t>(random() % 20));
      if (random() % 3 == 0) piece.end_segment(8);
      if (random() % 20 == 0) piece.is_end = 1;
    }
    jpeg::Runs one_by_one, in_pairs;
    for (const jpeg::Runs& piece : pieces) one_by_one = add(one_by_one, piece);
    for (std::size_t i = 0; i < pieces.size(); i += 4) {
      in_pairs =
          add(in_pairs, add(add(pieces[i], pieces[i + 1]), add(pieces[i + 2], pieces[i + 3])));
    }
    CHECK(one_by_one.begin(8) == in_pairs.begin(8));
    CHECK(one_by_one.open() == in_pairs.open());
    CHECK(one_by_one.ends == in_pairs.ends);
    CHECK(one_by_one.is_end == in_pairs.is_end);
  }
}

TEST_CASE("a set of coefficients is transposed as its block is") {
  const jpeg::Order order = jpeg::order_of(reading(Orientation::transpose));
  for (int k = 0; k < 64; ++k) {
    CHECK(jpeg::transposed(std::uint64_t{1} << order.source[k].number) == std::uint64_t{1} << k);
  }
}

TEST_CASE("codes that are not baseline's are not found, whatever their length") {
  JpegHuffmanTable table;
  // Lengths 2, 2, 3 and 12.
  table.bits[2] = 2, table.bits[3] = 1, table.bits[12] = 1;
  table.symbols = {0x01, 0x0B, 0x20, 0x0F};
  static jpeg::ReadTable made;
  jpeg::make_read_table({table, false}, made);
  CHECK(made.find(0).size() == 1);
  CHECK(made.find(0x40000000u).empty());  // 01: eleven bits
  CHECK(made.find(0x80000000u).empty());  // 100: a run without a value
  CHECK(made.find(0xA0000000u).empty());  // 101000000000: fifteen bits
  CHECK(made.find(0xFFFFFFFFu).empty());
  table.symbols[3] = 0x0A;
  jpeg::make_read_table({table, false}, made);
  CHECK(made.find(0xA0000000u).length() == 12);
  CHECK(made.find(0xA0100000u).empty());
  CHECK(made.find(0x40000000u).empty());
}

}  // namespace
}  // namespace qturn::tests::jpeg_scan_test
