// A turn that can be given up.
#include "src/picture/turn_in_bands.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/fixtures/pictures.hpp"

namespace turn_in_bands_test {

using namespace qturn;

TEST_CASE(
    "A turn in bands is the turn, for all orientations and with a last band that is smaller") {
  const std::atomic<bool> never{false};
  constexpr std::int64_t width = 37, height = 64 * 3 + 5;
  constexpr int bytes = 3;
  const auto pixels = tests::random_bytes(width * height * bytes, 1);
  for (int number = 1; number <= 8; ++number) {
    CAPTURE(number);
    const auto orientation = static_cast<Orientation>(number);
    const Size size = turned_size(orientation, {width, height});
    std::vector<unsigned char> whole(pixels.size()), in_bands(pixels.size());
    const ConstView from{pixels.data(), width, height, width * bytes, bytes};
    const auto to = [&](std::vector<unsigned char>& memory) {
      return View{memory.data(), size.width, size.height, size.width * bytes, bytes};
    };
    transform(from, to(whole), orientation);
    turn_in_bands(from, to(in_bands), orientation, never, 1);
    CHECK(in_bands == whole);
  }
}

TEST_CASE("Nothing is turned once the stop flag is raised") {
  const std::atomic<bool> raised{true};
  const std::vector<unsigned char> from(12, 1);
  std::vector<unsigned char> to(12, 0);
  CHECK_THROWS_AS(turn_in_bands({from.data(), 4, 3, 4, 1}, {to.data(), 3, 4, 3, 1},
                                Orientation::rotate90, raised),
                  Interrupted);
  CHECK(to == std::vector<unsigned char>(12, 0));
}

TEST_CASE("An empty picture is a no-op") {
  const std::atomic<bool> never{false};
  CHECK_NOTHROW(
      turn_in_bands({nullptr, 0, 0, 0, 1}, {nullptr, 0, 0, 0, 1}, Orientation::flip, never));
}

}  // namespace turn_in_bands_test
