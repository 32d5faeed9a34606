#include <qturn/view.hpp>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

namespace qturn::view_test {
namespace {

std::array<unsigned char, 60> memory{};
const View whole{memory.data(), 5, 4, 15, 3};

TEST_CASE("a sub-view begins at its pixel and keeps pitch and pixel size") {
  const View part = sub_view(whole, 2, 1, 3, 2);
  CHECK(part.data == memory.data() + 15 + 6);
  CHECK(part.width == 3);
  CHECK(part.height == 2);
  CHECK(part.pitch == 15);
  CHECK(part.pixel_bytes == 3);
  CHECK(part.row_bytes() == 9);
}

TEST_CASE("a sub-view of a view upside down counts its rows upwards in memory") {
  const ConstView hanging{memory.data() + 45, 5, 4, -15, 3};
  CHECK(sub_view(hanging, 0, 1, 5, 1).data == memory.data() + 30);
}

TEST_CASE("an empty sub-view may lie on the far edges") {
  CHECK(sub_view(whole, 5, 4, 0, 0).empty());
}

TEST_CASE("a sub-view that leaves the view is refused with both sizes") {
  CHECK_THROWS_MATCHES(
      sub_view(whole, 3, 0, 3, 1), std::invalid_argument,
      Catch::Matchers::Message("sub-view 3x1 at 3,0 does not lie in a view of 5x4"));
  CHECK_THROWS_AS(sub_view(whole, -1, 0, 2, 1), std::invalid_argument);
  CHECK_THROWS_AS(sub_view(whole, 0, 0, 1, 5), std::invalid_argument);
}

}  // namespace
}  // namespace qturn::view_test
