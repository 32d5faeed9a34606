#include <qturn/cpu.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <vector>

#include "tests/fixtures/pictures.hpp"

namespace qturn::tests::in_place_test {
namespace {

using Catch::Matchers::Message;

// Compares whole buffers, so that a byte written beside the picture is seen.
void require_its_definition(const Plan& plan) {
  for (Orientation orientation : all_orientations) {
    if (swaps_axes(orientation) && plan.width != plan.height) continue;
    const std::vector<unsigned char> before = random_bytes(plan.buffer_bytes(), 21);
    std::vector<unsigned char> wanted = before;
    std::vector<unsigned char> from = before;
    transform_by_definition(plan.view_in(from.data()), plan.view_in(wanted.data()), orientation);
    std::vector<unsigned char> got = before;
    transform_in_place(plan.view_in(got.data()), orientation);
    const std::string difference = first_difference(plan, got, wanted);
    if (!difference.empty()) FAIL(describe(plan, plan, orientation) + ": " + difference);
  }
}

const Layout layouts[] = {{}, {5, 3, false}, {16, 16, false}, {1, 7, true, -813}};

TEST_CASE("a square turned in place is its definition, whatever its size") {
  const int pixel_bytes =
      GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 31, 32, 48, 64, 100, 255, 256);
  for (std::int64_t side : {1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 97}) {
    for (const Layout& layout : layouts) require_its_definition({side, side, pixel_bytes, layout});
  }
}

TEST_CASE("a picture mirrored in place is its definition, whatever its size") {
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 24, 31, 32, 100, 256);
  const std::int64_t sizes[][2] = {{1, 40}, {40, 1}, {2, 3}, {17, 16}, {64, 31}, {129, 10}};
  for (const auto& size : sizes) {
    for (const Layout& layout : layouts) {
      require_its_definition({size[0], size[1], pixel_bytes, layout});
    }
  }
}

TEST_CASE("every pixel size from 1 to 256 bytes is turned in place") {
  for (int pixel_bytes = 1; pixel_bytes <= 256; ++pixel_bytes) {
    require_its_definition({19, 19, pixel_bytes, {2, 1, false}});
  }
}

TEST_CASE("an empty picture in place is a no-op") {
  CHECK_NOTHROW(transform_in_place({nullptr, 0, 0, 0, 3}, Orientation::rotate90));
  CHECK_NOTHROW(transform_in_place({nullptr, 7, 0, 0, 3}, Orientation::flop));
}

unsigned char memory[64];

TEST_CASE("axes of a picture that is not a square are not swapped in place") {
  CHECK_THROWS_MATCHES(transform_in_place({memory, 4, 3, 4, 1}, Orientation::rotate90),
                       std::invalid_argument,
                       Message("view is 4x3, rotate90 in place needs a square: call transform() "
                               "with a destination of 3x4"));
  CHECK_THROWS_AS(transform_in_place({memory, 0, 3, 4, 1}, Orientation::transverse),
                  std::invalid_argument);
}

TEST_CASE("a picture whose rows overlap each other is not turned in place") {
  CHECK_THROWS_MATCHES(transform_in_place({memory, 4, 4, -3, 1}, Orientation::flip),
                       std::invalid_argument,
                       Message("view has a pitch of -3, expected at least 4 either way"));
}

TEST_CASE("a view that makes no sense is not turned in place") {
  CHECK_THROWS_MATCHES(transform_in_place({memory, 2, 2, 2, 0}, Orientation::flop),
                       std::invalid_argument,
                       Message("view has pixels of 0 bytes, expected 1 to 256"));
  CHECK_THROWS_MATCHES(transform_in_place({memory, 2, -2, 2, 1}, Orientation::flop),
                       std::invalid_argument, Message("view is 2x-2, expected no less than 0x0"));
  CHECK_THROWS_MATCHES(transform_in_place({nullptr, 2, 2, 2, 1}, Orientation::flop),
                       std::invalid_argument, Message("view is 2x2 at address 0"));
}

TEST_CASE("a number that is not an orientation is refused in place") {
  unsigned char picture[4] = {1, 2, 3, 4};
  for (int number : {0, 9}) {
    CHECK_THROWS_MATCHES(
        transform_in_place({picture, 2, 2, 2, 1}, static_cast<Orientation>(number)),
        std::invalid_argument,
        Message("orientation is " + std::to_string(number) + ", expected 1 to 8"));
  }
}

}  // namespace
}  // namespace qturn::tests::in_place_test
