// JPEGs turned by their planes on a GPU: the same bytes as the CPU's.
#include <qturn/cuda.hpp>
#include <qturn/jpeg_planar_cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <random>
#include <string>
#include <vector>

#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/kernels/jpeg/device_jpegs.hpp"
#include "tests/kernels/jpeg/planar_turns.hpp"

namespace qturn::tests::jpeg_cuda_planar_test {
namespace {

using Catch::Matchers::Message;

using TurnedScan = TurnedOnDevice<JpegPlanarResult>;

std::vector<TurnedScan> turn_on_gpu(const std::vector<PlanarTurn>& asked) {
  std::vector<ScanTurn> scans;
  std::vector<JpegPlanarTurn> turns;
  std::vector<std::size_t> capacities;
  for (const PlanarTurn& turn : asked) {
    scans.push_back(turn.scan);
    turns.push_back(turn.turn);
    capacities.push_back(2 * turn.scan.file.size() + 4096);
  }
  return turn_on_device(turns, scans, capacities, jpeg_planar_workspace, turn_jpegs_by_planes);
}

void check_same(const TurnedScan& turned, const PlanarTurn& asked) {
  const TurnedByPlanes wanted(asked.scan.file, asked.turn.orientation);
  CHECK_FALSE(turned.result.scan.faults.any());
  CHECK(turned.result.scan.src_bytes == scan_data(asked.scan.file).size());
  CHECK(turned.data == wanted.data);
  for (std::size_t c = 0; c < wanted.scan.components.size(); ++c) {
    CHECK(turned.result.dc[c] == wanted.scan.components[c].dc);
    CHECK(turned.result.ac[c] == wanted.scan.components[c].ac);
  }
}

void check_same(const std::vector<PlanarTurn>& turns) {
  const std::vector<TurnedScan> turned = turn_on_gpu(turns);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    INFO("picture " << i << ", " << name(turns[i].turn.orientation));
    check_same(turned[i], turns[i]);
  }
}

TEST_CASE("a JPEG turned by planes on a GPU has the CPU's bytes", "[gpu][sanitizer]") {
  need_gpu();
  std::vector<PlanarTurn> turns;
  for (JpegPicture kind : one_scan_kinds()) {
    for (const Size size : {Size{96, 64}, Size{91, 61}, Size{5, 3}}) {
      kind.width = static_cast<int>(size.width), kind.height = static_cast<int>(size.height);
      kind.noisy = size.width != 96;
      const Bytes file = make_jpeg(kind);
      for (const Orientation orientation : all_orientations) turns.emplace_back(file, orientation);
    }
  }
  check_same(turns);
}

TEST_CASE("samples are moved where a mirrored edge cuts a group of pixels", "[gpu]") {
  need_gpu();
  struct Sampling {
    int h, v;
  };
  std::vector<PlanarTurn> turns;
  for (const Sampling sampling : {Sampling{2, 1}, Sampling{1, 2}, Sampling{2, 2}, Sampling{4, 1},
                                  Sampling{1, 4}, Sampling{3, 1}, Sampling{4, 2}}) {
    for (const int width : {29, 30, 31, 32}) {
      const Bytes file = make_jpeg(
          {.width = width, .height = width - 8, .h = sampling.h, .v = sampling.v, .noisy = true});
      for (const Orientation orientation : all_orientations) turns.emplace_back(file, orientation);
    }
  }
  check_same(turns);
}

TEST_CASE("of a picture of many rows some are counted", "[gpu]") {
  need_gpu();
  std::vector<PlanarTurn> turns;
  for (const unsigned interval : {0u, 1u, 7u, 300u, 5000u}) {
    for (const bool is_grey : {false, true}) {
      const JpegPicture picture = {.width = 93,
                                   .height = 1203,
                                   .space = is_grey ? JCS_GRAYSCALE : JCS_YCbCr,
                                   .h = 2,
                                   .v = 2,
                                   .restart_interval = interval,
                                   .noisy = interval == 1};
      for (const Orientation orientation :
           {Orientation::flop, Orientation::flip, Orientation::rotate90}) {
        turns.emplace_back(make_jpeg(picture), orientation);
      }
    }
  }
  check_same(turns);
}

TEST_CASE("a large JPEG is turned by planes", "[gpu]") {
  need_gpu();
  std::vector<PlanarTurn> turns;
  for (const unsigned interval : {0u, 125u}) {
    const Bytes file = make_jpeg({.width = 2003,
                                  .height = 1501,
                                  .h = 2,
                                  .v = 2,
                                  .restart_interval = interval,
                                  .noisy = interval != 0});
    turns.emplace_back(file, Orientation::rotate90);
    turns.emplace_back(file, Orientation::flop);
  }
  check_same(turns);
}

TEST_CASE("damage and extremes are given up, and do not disturb the others", "[gpu][sanitizer]") {
  need_gpu();
  std::mt19937 random(9);
  std::vector<PlanarTurn> turns;
  for (int i = 0; i < 60; ++i) {
    if (i % 4 == 3) {
      // Coefficients on which libjpeg's versions disagree.
      GreyBlocks picture{5, 5, {}, random_blocks(25, 1023, random), {}};
      picture.steps.fill(255);
      turns.emplace_back(make_grey(picture), Orientation::rotate90);
      continue;
    }
    turns.emplace_back(make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2}),
                       all_orientations[static_cast<std::size_t>(i) % 8]);
    ScanTurn& scan = turns.back().scan;
    if (i % 4 == 1) scan.file.resize(scan.data_at + random() % scan.data().size());
    if (i % 4 == 2) {
      scan.file[scan.data_at + random() % (scan.data().size() - 2)] ^= std::byte{0x11};
    }
  }
  turns.back().turn.src.size = {65000, 65000};  // known before it is read
  const std::vector<TurnedScan> turned = turn_on_gpu(turns);
  for (std::size_t i = 0; i < turns.size(); ++i) {
    INFO("picture " << i);
    const JpegFaults faults = turned[i].result.scan.faults;
    if (i + 1 == turns.size()) {
      CHECK(faults == JpegFault::missing_blocks);
    } else if (i % 4 == 3) {
      CHECK(faults == JpegFault::range);
    } else if (i % 4 == 1) {
      CHECK(faults.any());
    } else if (i % 4 == 0 || !faults.any()) {
      check_same(turned[i], turns[i]);
    }
  }
}

TEST_CASE("turns by planes that make no sense are refused before anything is enqueued", "[gpu]") {
  need_gpu();
  const PlanarTurn plain(make_jpeg({.h = 2, .v = 1}), Orientation::rotate90);
  const auto refuses = [&](auto change, const std::string& message) {
    std::vector<JpegPlanarTurn> turns(2, plain.turn);
    change(turns[1]);
    CHECK_THROWS_MATCHES(jpeg_planar_workspace(turns.data(), turns.size()), std::invalid_argument,
                         Message("picture 1: " + message));
  };
  refuses([](JpegPlanarTurn& turn) { turn.src.components = 5; }, "5 components, expected 1 to 4");
  refuses(
      [](JpegPlanarTurn& turn) {
        turn.src.component[0].h = 3;
        turn.src.component[2].h = 2;
      },
      "component 2 has a sampling factor that does not divide the greatest one");
  refuses([](JpegPlanarTurn& turn) { turn.src.component[2].ac.bits[1] = 3; },
          "src has a Huffman table that is not a prefix code, in component 2");
  refuses([](JpegPlanarTurn& turn) { turn.steps[1][63] = 0; },
          "component 1 has a quantisation step of 0, expected 1 to 8191");
  refuses([](JpegPlanarTurn& turn) { turn.steps[0][0] = 8192; },
          "component 0 has a quantisation step of 8192, expected 1 to 8191");
  refuses([](JpegPlanarTurn& turn) { turn.ac_table[2] = 4; },
          "component 2 has Huffman table 4, expected 0 to 3");
  refuses([](JpegPlanarTurn& turn) { turn.orientation = static_cast<Orientation>(9); },
          "orientation is 9, expected 1 to 8");
}

}  // namespace
}  // namespace qturn::tests::jpeg_cuda_planar_test
