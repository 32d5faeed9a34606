// JPEGs turned on a GPU, against the same turned on the CPU.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <thread>

#include "src/nvjpeg/device.hpp"
#include "src/run/device.hpp"
#include "tests/jpeg_pictures.hpp"
#include "tests/jpeg_turns.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;

const std::atomic<bool> never{false};

/// The first GPU's; skips the case where there is none.
PlanarDevice& device() {
  static SpareBytes spare(1 << 20);
  static const std::unique_ptr<PlanarDevice> only = [] {
    const Devices devices = find_devices();
    if (devices.cuda.empty()) SKIP("no CUDA device: " << devices.cuda_problem);
    const NvJpegStatus status = nvjpeg_status(0);
    if (!status.problem.empty()) SKIP(status.problem);
    return make_nvjpeg_device({0}, spare, never);
  }();
  return *only;
}

/// Empty if the device does not take it.
Bytes turn_there(const Bytes& file, Orientation orientation) {
  JpegTurn jpeg(file, by_planes);
  const auto request = jpeg.request(std::span(&orientation, 1), never);
  if (!request) return {};
  const auto made = device().turn(*request);
  if (!made) return {};
  std::vector<std::string> warnings;
  jpeg.accept(*request, *made, warnings);
  return jpeg.turn(orientation, never);
}

}  // namespace

TEST_CASE("Aligned pictures keep their coefficients on the GPU, but for rounding", "[gpu]") {
  const auto h = GENERATE(1, 2), v = GENERATE(1, 2);
  const auto optimised = GENERATE(false, true);
  const auto orientation = GENERATE(
      values({Orientation::flop, Orientation::rotate180, Orientation::flip, Orientation::transpose,
              Orientation::rotate90, Orientation::transverse, Orientation::rotate270}));
  CAPTURE(h, v, optimised, name(orientation));
  device();
  const Bytes file =
      make_jpeg({.width = 640, .height = 480, .h = h, .v = v, .optimised = optimised});
  const Bytes turned = turn_there(file, orientation);
  REQUIRE_FALSE(turned.empty());
  const JpegInside before = look_inside(file), after = look_inside(turned);
  CHECK(after.standard_huffman == before.standard_huffman);
  check_turned(before, after, orientation, 100);
}

TEST_CASE("Four quarter turns on the GPU bring a picture of any size back nearly unchanged",
          "[gpu]") {
  const auto width = GENERATE(640, 642, 650), height = GENERATE(480, 486);
  CAPTURE(width, height);
  device();
  const Bytes file = make_jpeg({.width = width, .height = height, .h = 2, .v = 2});
  Bytes turned = file;
  for (int i = 0; i < 4; ++i) {
    turned = turn_there(turned, Orientation::rotate90);
    REQUIRE_FALSE(turned.empty());
  }
  const JpegInside before = look_inside(file), after = look_inside(turned);
  CHECK(after.width == width);
  CHECK(after.height == height);
  const int blocks_wide = width / 16 * 2, blocks_high = height / 16 * 2;
  int different = 0, total = 0;
  for (int y = 0; y < blocks_high; ++y) {
    for (int x = 0; x < blocks_wide; ++x) {
      const auto at = static_cast<std::size_t>(y * before.components[0].blocks_wide + x);
      for (std::size_t k = 0; k < 64; ++k, ++total) {
        different += before.components[0].blocks[at][k] != after.components[0].blocks[at][k];
      }
    }
  }
  // Only where the size is whole blocks do they stay in their places on the way.
  if (width % 16 == 0 && height % 16 == 0) CHECK(different * 50 <= total);
}

TEST_CASE("Many pictures at a time come out as each does alone", "[gpu]") {
  device();
  std::vector<Bytes> files, alone;
  for (int i = 0; i < 40; ++i) {
    files.push_back(make_jpeg({.width = 640 + 16 * i,
                               .height = 480 + 2 * i,
                               .h = 1 + i % 2,
                               .v = 1 + i / 2 % 2,
                               .quality = 60 + i}));
    alone.push_back(turn_there(files.back(), Orientation::rotate90));
    REQUIRE_FALSE(alone.back().empty());
  }
  std::vector<Bytes> together(files.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < files.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = turn_there(files[i], Orientation::rotate90); });
  }
  threads.clear();
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO("picture " << i);
    CHECK(together[i] == alone[i]);
  }
}
