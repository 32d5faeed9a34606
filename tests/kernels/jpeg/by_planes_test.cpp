// Turning by planes as kernels/jpeg does it, run on the CPU: what comes out must be what the CPU's
// own route writes, byte for byte.
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/kernels/jpeg/planar_coder.hpp"
#include "tests/kernels/jpeg/planar_turns.hpp"

namespace qturn::tests::jpeg_by_planes_test {
namespace {

void check_same(const Bytes& file, Orientation orientation) {
  const PlanarTurn asked(file, orientation);
  const CodedPlanes turned = turn_by_planes(asked.turn, asked.scan.data());
  const TurnedByPlanes wanted(file, orientation);
  for (std::size_t c = 0; c < wanted.scan.components.size(); ++c) {
    CHECK(turned.layout.component[c].dc == wanted.scan.components[c].dc);
    CHECK(turned.layout.component[c].ac == wanted.scan.components[c].ac);
  }
  CHECK(turned.data == wanted.data);
}

TEST_CASE("a scan turned by planes equals the CPU's, byte for byte") {
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
    REQUIRE(best_of(counts, false, dc) == wanted);
    REQUIRE(best_of(counts, true, dc) == complete(wanted, dc ? JpegSymbols::dc : JpegSymbols::ac));
  }
}

}  // namespace
}  // namespace qturn::tests::jpeg_by_planes_test
