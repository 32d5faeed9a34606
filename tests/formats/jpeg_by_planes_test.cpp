// Turning by planes as kernels/jpeg does it, run on the CPU: what comes out must be what the CPU's
// own route writes, byte for byte.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/jpeg/src/planar_plan.hpp"
#include "tests/formats/jpeg_coder.hpp"
#include "tests/formats/jpeg_planar_turns.hpp"
#include "tests/formats/jpeg_samples.hpp"
#include "tests/formats/jpeg_transforms.hpp"

namespace qturn::tests {
namespace {

/// The samples of a component, from its blocks.
std::vector<std::uint8_t> plane_of(const Coefficients& read, const jpeg::Layout& layout,
                                   std::uint32_t which, const JpegSteps& steps) {
  const jpeg::Component& component = layout.component[which];
  const std::size_t pitch = component.width * std::size_t{8};
  std::vector<std::uint8_t> samples(pitch * component.height * 8);
  int out_of_range = 0;
  for (std::uint32_t y = 0; y < component.height; ++y) {
    for (std::uint32_t x = 0; x < component.width; ++x) {
      const std::size_t number = layout.number(which, {x, y});
      std::array<std::int16_t, 64> block{};
      block[0] = read.dc[number];
      for (std::uint32_t k = 1; k < 64; ++k) {
        if ((read.sets[number] >> k & 1) == 0) continue;
        block[jpeg::zigzag[k]] = static_cast<std::int16_t>(read.block(number).value(k));
      }
      const RestoredBlock made = restored(block, steps);
      out_of_range += !made.in_range;
      for (std::size_t k = 0; k < 64; ++k) {
        samples[(y * std::size_t{8} + k / 8) * pitch + x * std::size_t{8} + k % 8] =
            made.samples[k];
      }
    }
  }
  CHECK(out_of_range == 0);
  return samples;
}

/// The block of a turned component, stored as the threads do it.
void store_block(const jpeg::PlanarComponent& component, jpeg::Place place, std::size_t number,
                 Coefficients& to) {
  std::array<std::uint8_t, 64> samples;
  for (std::uint32_t k = 0; k < 64; ++k) {
    samples[k] =
        static_cast<std::uint8_t>(component.plane.sample(place.x * 8 + k % 8, place.y * 8 + k / 8));
  }
  const std::array<std::int32_t, 64> block = transformed(samples, component.divisors);
  to.dc[number] = static_cast<std::int16_t>(block[0]);
  std::size_t at = 64 * number;
  for (std::uint32_t k = 1; k < 64; ++k) {
    if (block[jpeg::zigzag[k]] == 0) continue;
    to.sets[number] |= std::uint64_t{1} << k;
    to.values[at++] = static_cast<std::int16_t>(block[jpeg::zigzag[k]]);
  }
}

JpegHuffmanTable best(const jpeg::SymbolCounts& counts, bool all, bool dc) {
  const auto maker = std::make_unique<jpeg::TableMaker>();
  maker->counts = counts;
  for (std::uint32_t symbol = 0; symbol < jpeg::most_symbols; ++symbol) maker->sort_in(symbol);
  return maker->make(all, dc);
}

/// The tables for a picture's blocks, in `layout`.
void fit(const jpeg::AskedPlanar& asked, JpegScanLayout& layout) {
  std::vector<jpeg::SymbolCounts> counts(static_cast<std::size_t>(2 * layout.components));
  for (std::uint32_t i = 0; i < asked.planar.counted_blocks; ++i) {
    jpeg::count_symbols(asked.written, i, asked.planar.row_step, counts.data());
  }
  for (int i = 0; i < layout.components; ++i) {
    jpeg::SymbolCounts dc{}, ac{};
    for (int other = 0; other < layout.components; ++other) {
      const auto add = [&](jpeg::SymbolCounts& sum, int which) {
        for (std::size_t symbol = 0; symbol < 256; ++symbol) {
          sum.of[symbol] += counts[static_cast<std::size_t>(which)].of[symbol];
        }
      };
      if (asked.planar.dc_table[other] == asked.planar.dc_table[i]) add(dc, 2 * other);
      if (asked.planar.ac_table[other] == asked.planar.ac_table[i]) add(ac, 2 * other + 1);
    }
    layout.component[i].dc = best(dc, asked.planar.row_step > 1, true);
    layout.component[i].ac = best(ac, asked.planar.row_step > 1, false);
  }
}

struct Turned {
  Bytes data;
  JpegScanLayout layout;
};

Turned turn_by_planes(const PlanarTurn& turn) {
  JpegPlanarTurn with_data = turn.turn;
  with_data.bytes = turn.scan.data().size();
  jpeg::AskedPlanar asked = jpeg::asked_of(with_data, jpeg::usual_cut);
  const jpeg::Layout &src = asked.read.turn.src, &dst = asked.written.turn.dst;
  const Coefficients read = read_scan(turn.scan, Cut{jpeg::most_block_bits, 128});
  std::vector<std::vector<std::uint8_t>> planes;
  Coefficients made = no_coefficients(dst.blocks());
  for (std::uint32_t i = 0; i < src.components; ++i) {
    planes.push_back(plane_of(read, src, i, turn.turn.steps[i]));
    asked.planar.component[i].plane.from.samples = planes.back().data();
    for (std::uint32_t y = 0; y < dst.component[i].height; ++y) {
      for (std::uint32_t x = 0; x < dst.component[i].width; ++x) {
        store_block(asked.planar.component[i], {x, y}, dst.number(i, {x, y}), made);
      }
    }
  }
  asked.written.dc = made.dc.data();
  asked.written.values = made.values.data();
  asked.written.sets = made.sets.data();
  asked.written.parted = made.parted.data();
  Turned result{{}, jpeg::turned_layout(turn.turn)};
  fit(asked, result.layout);
  result.data = Writer(asked.written.turn, result.layout, made).write();
  return result;
}

void check_same(const Bytes& file, Orientation orientation) {
  const Turned turned = turn_by_planes(PlanarTurn(file, orientation));
  const TurnedByPlanes wanted(file, orientation);
  for (std::size_t c = 0; c < wanted.scan.components.size(); ++c) {
    CHECK(turned.layout.component[c].dc == wanted.scan.components[c].dc);
    CHECK(turned.layout.component[c].ac == wanted.scan.components[c].ac);
  }
  CHECK(turned.data == wanted.data);
}

TEST_CASE("a scan turned by planes is the one that the CPU writes, byte for byte") {
  for (JpegPicture kind : one_scan_kinds()) {
    for (const Size size : {Size{96, 64}, Size{91, 61}, Size{29, 30}, Size{5, 3}}) {
      kind.width = static_cast<int>(size.width), kind.height = static_cast<int>(size.height);
      kind.noisy = size.width == 29;
      const Bytes file = make_jpeg(kind);
      for (const Orientation orientation : all_orientations) {
        INFO("sampling " << kind.h << "x" << kind.v << ", space " << kind.space << ", "
                         << size.width << "x" << size.height << ", " << name(orientation));
        check_same(file, orientation);
      }
    }
  }
}

TEST_CASE("any sampling factors are turned as by the CPU") {
  std::mt19937 random(12);
  for (int round = 0; round < 400; ++round) {
    AnySampling picture{.width = 1 + static_cast<int>(random() % 90),
                        .height = 1 + static_cast<int>(random() % 90)};
    if (random() % 3 == 0) picture.restart_interval = static_cast<unsigned>(random() % 20);
    const AnySampling::Factors most{1 + static_cast<int>(random() % 4),
                                    1 + static_cast<int>(random() % 4)};
    int blocks = 0;
    const int counts[] = {1, 3, 4};
    for (int count = counts[random() % 3]; count > 0; --count) {
      AnySampling::Factors factors{1 + static_cast<int>(random() % 4),
                                   1 + static_cast<int>(random() % 4)};
      if (most.h % factors.h != 0 || most.v % factors.v != 0) factors = {1, 1};
      if (picture.factors.empty()) factors = most;
      if (blocks + factors.h * factors.v + count - 1 > 10) factors = {1, 1};
      blocks += factors.h * factors.v;
      picture.factors.push_back(factors);
    }
    std::shuffle(picture.factors.begin(), picture.factors.end(), random);
    std::string sampling;
    for (const auto& each : picture.factors) {
      sampling += std::to_string(each.h) + "x" + std::to_string(each.v) + " ";
    }
    const Bytes file = make_any_sampling(picture, random);
    const Orientation orientation = all_orientations[random() % 8];
    INFO(sampling << picture.width << "x" << picture.height << ", " << name(orientation));
    check_same(file, orientation);
  }
}

TEST_CASE("of a picture of many rows of MCUs those are counted that the CPU counts") {
  for (const unsigned interval : {0u, 1u, 7u, 300u}) {
    for (const int height : {1008, 1040, 2003}) {
      const Bytes file = make_jpeg({.width = 37,
                                    .height = height,
                                    .h = 2,
                                    .v = 2,
                                    .restart_interval = interval,
                                    .noisy = interval == 1});
      INFO("height " << height << ", restart interval " << interval);
      check_same(file, Orientation::flip);
      check_same(file, Orientation::rotate90);
    }
  }
}

TEST_CASE("Huffman tables are those that the CPU makes") {
  std::mt19937 random(6);
  for (int round = 0; round < 600; ++round) {
    const bool dc = round % 2 == 0;
    jpeg::SymbolCounts counts{};
    JpegSymbolCounts of_cpu{};
    const bool is_uneven = round % 5 == 4;  // so that codes have to be shortened
    const unsigned rare = 1 + random() % 12;
    double growing = 1;
    for (std::uint32_t symbol = 0; symbol < jpeg::most_symbols; ++symbol) {
      if (!jpeg::is_known(symbol, dc) || random() % rare != 0) continue;
      growing = growing > 1e8 ? 1 : growing * 1.7;
      counts.of[symbol] =
          is_uneven ? static_cast<std::uint32_t>(growing) : 1 + random() % (1u << random() % 20);
      of_cpu[symbol] = counts.of[symbol];
    }
    if (counts.of[0] == 0) counts.of[0] = 1, of_cpu[0] = 1;
    const JpegHuffmanTable wanted = best_table(of_cpu);
    REQUIRE(best(counts, false, dc) == wanted);
    REQUIRE(best(counts, true, dc) == complete(wanted, dc ? JpegSymbols::dc : JpegSymbols::ac));
  }
}

}  // namespace
}  // namespace qturn::tests
