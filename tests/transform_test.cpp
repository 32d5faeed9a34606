#include <qturn/transform.hpp>
#include <qturn/typed.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/pictures.hpp"

namespace qturn::tests {
namespace {

using Catch::Matchers::Message;

std::string difference_from_definition(const Plan& src, Layout dst_layout,
                                       Orientation orientation) {
  const Size turned = turned_size(orientation, {src.width, src.height});
  const Plan dst{turned.width, turned.height, src.pixel_bytes, dst_layout};
  std::vector<unsigned char> from = random_bytes(src.buffer_bytes(), 1);
  std::vector<unsigned char> got = random_bytes(dst.buffer_bytes(), 2);
  std::vector<unsigned char> wanted = got;
  transform_by_definition(src.view_in(from.data()), dst.view_in(wanted.data()), orientation);
  transform(src.view_in(from.data()), dst.view_in(got.data()), orientation);
  const std::string difference = first_difference(dst, got, wanted);
  return difference.empty() ? "" : describe(src, dst, orientation) + ": " + difference;
}

TEST_CASE("every orientation of every pixel size is its definition, whatever the sizes") {
  const int pixel_bytes =
      GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 31, 32, 33, 48, 64, 100, 255, 256);
  const std::int64_t sizes[][2] = {{1, 1},   {1, 40},  {40, 1},  {15, 16},  {16, 17},  {17, 15},
                                   {31, 33}, {32, 32}, {33, 64}, {63, 127}, {129, 65}, {200, 3}};
  const Layout layouts[] = {{}, {5, 3, false}, {16, 16, false}, {1, 7, true}};
  for (const auto& size : sizes) {
    for (const Layout& src : layouts) {
      for (const Layout& dst : layouts) {
        for (Orientation orientation : all_orientations) {
          const Plan plan{size[0], size[1], pixel_bytes, src};
          const std::string difference = difference_from_definition(plan, dst, orientation);
          if (!difference.empty()) FAIL(difference);
        }
      }
    }
  }
}

TEST_CASE("every pixel size from 1 to 256 bytes works") {
  for (int pixel_bytes = 1; pixel_bytes <= 256; ++pixel_bytes) {
    for (Orientation orientation : all_orientations) {
      const Plan src{19, 18, pixel_bytes, {2, 1, false}};
      const std::string difference = difference_from_definition(src, {1, 3, false}, orientation);
      if (!difference.empty()) FAIL(difference);
    }
  }
}

TEST_CASE("an empty picture is a no-op") {
  unsigned char byte = 7;
  transform({nullptr, 0, 5, 0, 1}, {nullptr, 5, 0, 0, 1}, Orientation::rotate90);
  transform({nullptr, 0, 0, 0, 3}, {&byte, 0, 0, 0, 3}, Orientation::flop);
  CHECK(byte == 7);
}

TEST_CASE("a source whose rows are all the same row may be spread") {
  std::vector<unsigned char> row{1, 2, 3};
  std::vector<unsigned char> got(6);
  transform({row.data(), 3, 2, 0, 1}, {got.data(), 3, 2, 3, 1}, Orientation::flop);
  CHECK(got == std::vector<unsigned char>{3, 2, 1, 3, 2, 1});
}

TEST_CASE("one half of a picture may be turned into its other half") {
  std::vector<unsigned char> picture{1, 2, 0, 0, 3, 4, 0, 0};
  const View whole{picture.data(), 4, 2, 4, 1};
  transform(sub_view(whole, 0, 0, 2, 2), sub_view(whole, 2, 0, 2, 2), Orientation::rotate90);
  CHECK(picture == std::vector<unsigned char>{1, 2, 3, 1, 3, 4, 4, 2});
}

TEST_CASE("typed pixels are turned by size alone") {
  const std::uint16_t src[2][3] = {{1, 2, 3}, {4, 5, 6}};  // 1 x 2 pixels of 3 channels
  std::uint16_t dst[6] = {};
  transform<std::uint16_t, 3>({src[0], 1, 2, 6}, {dst, 2, 1, 12}, Orientation::rotate90);
  CHECK(std::vector<std::uint16_t>(dst, dst + 6) == std::vector<std::uint16_t>{4, 5, 6, 1, 2, 3});

  const float quiet[2] = {std::numeric_limits<float>::quiet_NaN(), -0.0f};
  float turned[2] = {};
  transform<float, 1>({quiet, 2, 1, 8}, {turned, 2, 1, 8}, Orientation::flop);
  CHECK(std::memcmp(&turned[1], &quiet[0], 4) == 0);
  CHECK(std::memcmp(&turned[0], &quiet[1], 4) == 0);

  const std::uint8_t rgba[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::uint8_t mirrored[8] = {};
  transform<std::uint8_t, 4>({rgba, 2, 1, 8}, {mirrored, 2, 1, 8}, Orientation::rotate180);
  CHECK(std::vector<std::uint8_t>(mirrored, mirrored + 8) ==
        std::vector<std::uint8_t>{5, 6, 7, 8, 1, 2, 3, 4});
}

unsigned char source_memory[64];
unsigned char target_memory[64];

TEST_CASE("a destination of the wrong shape is refused with both shapes") {
  CHECK_THROWS_MATCHES(
      transform({source_memory, 4, 3, 4, 1}, {target_memory, 4, 3, 4, 1}, Orientation::rotate90),
      std::invalid_argument, Message("dst is 4x3, expected 3x4"));
  CHECK_THROWS_MATCHES(
      transform({source_memory, 4, 3, 4, 1}, {target_memory, 3, 4, 3, 1}, Orientation::flip),
      std::invalid_argument, Message("dst is 3x4, expected 4x3"));
}

TEST_CASE("different pixel sizes are refused with both sizes") {
  CHECK_THROWS_MATCHES(
      transform({source_memory, 2, 2, 6, 3}, {target_memory, 2, 2, 8, 4}, Orientation::flop),
      std::invalid_argument, Message("dst has pixels of 4 bytes, expected 3"));
}

TEST_CASE("pixels of no byte or of more than 256 are refused") {
  CHECK_THROWS_MATCHES(
      transform({source_memory, 1, 1, 8, 0}, {target_memory, 1, 1, 8, 0}, Orientation::flop),
      std::invalid_argument, Message("src has pixels of 0 bytes, expected 1 to 256"));
  CHECK_THROWS_MATCHES(
      transform({source_memory, 0, 1, 8, 1}, {target_memory, 0, 1, 8, 257}, Orientation::flop),
      std::invalid_argument, Message("dst has pixels of 257 bytes, expected 1 to 256"));
}

TEST_CASE("a negative width or height is refused") {
  CHECK_THROWS_MATCHES(
      transform({source_memory, -1, 2, 4, 1}, {target_memory, -1, 2, 4, 1}, Orientation::flop),
      std::invalid_argument, Message("src is -1x2, expected no less than 0x0"));
}

TEST_CASE("pixels at address 0 are refused") {
  CHECK_THROWS_MATCHES(
      transform({source_memory, 2, 2, 2, 1}, {nullptr, 2, 2, 2, 1}, Orientation::flop),
      std::invalid_argument, Message("dst is 2x2 at address 0"));
}

TEST_CASE("a destination whose rows overlap each other is refused") {
  CHECK_THROWS_MATCHES(
      transform({source_memory, 4, 2, 4, 1}, {target_memory, 4, 2, -3, 1}, Orientation::flop),
      std::invalid_argument, Message("dst has a pitch of -3, expected at least 4 either way"));
}

TEST_CASE("a source and a destination that share a byte are refused") {
  const auto refused = [](ConstView src, View dst) {
    CHECK_THROWS_AS(transform(src, dst, Orientation::flop), std::invalid_argument);
  };
  const View whole{source_memory, 8, 8, 8, 1};
  CHECK_THROWS_MATCHES(transform(whole, whole, Orientation::flop), std::invalid_argument,
                       Message("src 8x8 and dst 8x8 overlap in memory"));
  refused(sub_view(whole, 0, 0, 4, 4), sub_view(whole, 3, 3, 4, 4));
  refused(sub_view(whole, 4, 4, 4, 4), sub_view(whole, 1, 1, 4, 4));
  // Upside down, and around the end of a row.
  refused(sub_view(whole, 0, 0, 4, 4), {source_memory + 4 * 8, 4, 4, -8, 1});
  refused({source_memory + 6, 4, 2, 8, 1}, {source_memory, 4, 2, 8, 1});
  // Other pitches are compared by their spans.
  refused({source_memory, 4, 4, 8, 1}, {source_memory + 5, 4, 4, 9, 1});
}

TEST_CASE("rectangles side by side in one picture do not overlap") {
  const View whole{source_memory, 8, 8, 8, 1};
  const auto allowed = [](ConstView src, View dst) {
    CHECK_NOTHROW(transform(src, dst, Orientation::flop));
  };
  allowed(sub_view(whole, 0, 0, 4, 8), sub_view(whole, 4, 0, 4, 8));
  allowed(sub_view(whole, 4, 0, 4, 8), sub_view(whole, 0, 0, 4, 8));
  allowed(sub_view(whole, 4, 0, 4, 4), sub_view(whole, 0, 2, 4, 4));
  allowed(sub_view(whole, 0, 0, 8, 4), sub_view(whole, 0, 4, 8, 4));
  allowed(sub_view(whole, 0, 0, 4, 8), {source_memory + 7 * 8 + 4, 4, 8, -8, 1});
  allowed(sub_view(whole, 0, 0, 4, 1), sub_view(whole, 4, 0, 4, 1));
}

}  // namespace
}  // namespace qturn::tests
