#include <qturn/orientation.hpp>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace qturn::orientation_test {
namespace {

// The picture AB/CD, seen in an orientation, as four letters row by row.
constexpr std::array<char, 4> abcd(Orientation orientation) {
  const std::array<char, 4> picture{'A', 'B', 'C', 'D'};
  std::array<char, 4> seen{};
  for (std::int64_t y = 0; y < 2; ++y) {
    for (std::int64_t x = 0; x < 2; ++x) {
      const Position from = source_of(orientation, {x, y}, {2, 2});
      seen[static_cast<std::size_t>(2 * y + x)] =
          picture[static_cast<std::size_t>(2 * from.y + from.x)];
    }
  }
  return seen;
}

constexpr bool shows(Orientation orientation, std::string_view letters) {
  const std::array<char, 4> seen = abcd(orientation);
  return std::string_view(seen.data(), 4) == letters;
}

TEST_CASE("each orientation shows its picture of AB/CD") {
  STATIC_REQUIRE(shows(Orientation::identity, "ABCD"));
  STATIC_REQUIRE(shows(Orientation::flop, "BADC"));
  STATIC_REQUIRE(shows(Orientation::rotate180, "DCBA"));
  STATIC_REQUIRE(shows(Orientation::flip, "CDAB"));
  STATIC_REQUIRE(shows(Orientation::transpose, "ACBD"));
  STATIC_REQUIRE(shows(Orientation::rotate90, "CADB"));
  STATIC_REQUIRE(shows(Orientation::transverse, "DBCA"));
  STATIC_REQUIRE(shows(Orientation::rotate270, "BDAC"));
}

TEST_CASE("orientations are numbered as Exif tag 274") {
  STATIC_REQUIRE(static_cast<int>(Orientation::identity) == 1);
  STATIC_REQUIRE(static_cast<int>(Orientation::flop) == 2);
  STATIC_REQUIRE(static_cast<int>(Orientation::rotate180) == 3);
  STATIC_REQUIRE(static_cast<int>(Orientation::flip) == 4);
  STATIC_REQUIRE(static_cast<int>(Orientation::transpose) == 5);
  STATIC_REQUIRE(static_cast<int>(Orientation::rotate90) == 6);
  STATIC_REQUIRE(static_cast<int>(Orientation::transverse) == 7);
  STATIC_REQUIRE(static_cast<int>(Orientation::rotate270) == 8);
}

// The tag says where the stored row 0 and column 0 are seen; so, where the stored corner goes.
TEST_CASE("the stored first row and column are seen where Exif says") {
  constexpr Size size{4, 3};
  const auto corner = [](Orientation o) { return destination_of(o, {0, 0}, {4, 3}); };
  STATIC_REQUIRE(corner(Orientation::identity) == Position{0, 0});
  STATIC_REQUIRE(corner(Orientation::flop) == Position{3, 0});
  STATIC_REQUIRE(corner(Orientation::rotate180) == Position{3, 2});
  STATIC_REQUIRE(corner(Orientation::flip) == Position{0, 2});
  STATIC_REQUIRE(corner(Orientation::transpose) == Position{0, 0});
  STATIC_REQUIRE(corner(Orientation::rotate90) == Position{2, 0});
  STATIC_REQUIRE(corner(Orientation::transverse) == Position{2, 3});
  STATIC_REQUIRE(corner(Orientation::rotate270) == Position{0, 3});
  STATIC_REQUIRE(turned_size(Orientation::rotate90, size) == Size{3, 4});
  STATIC_REQUIRE(turned_size(Orientation::rotate180, size) == size);
}

constexpr bool composition_is_one_after_the_other() {
  constexpr Size size{4, 3};
  for (Orientation first : all_orientations) {
    for (Orientation then : all_orientations) {
      const Size middle = turned_size(first, size);
      const Orientation both = compose(first, then);
      const Size turned = turned_size(both, size);
      if (!(turned == turned_size(then, middle))) return false;
      for (std::int64_t y = 0; y < turned.height; ++y) {
        for (std::int64_t x = 0; x < turned.width; ++x) {
          const Position between = source_of(then, {x, y}, middle);
          if (!(source_of(both, {x, y}, size) == source_of(first, between, size))) return false;
        }
      }
    }
  }
  return true;
}

constexpr bool group_laws_hold() {
  for (Orientation a : all_orientations) {
    if (compose(a, Orientation::identity) != a || compose(Orientation::identity, a) != a) {
      return false;
    }
    if (compose(a, inverse(a)) != Orientation::identity ||
        compose(inverse(a), a) != Orientation::identity) {
      return false;
    }
    for (Orientation b : all_orientations) {
      for (Orientation c : all_orientations) {
        if (compose(compose(a, b), c) != compose(a, compose(b, c))) return false;
      }
    }
  }
  return true;
}

constexpr bool destination_undoes_source() {
  constexpr Size size{5, 2};
  for (Orientation o : all_orientations) {
    const Size turned = turned_size(o, size);
    for (std::int64_t y = 0; y < turned.height; ++y) {
      for (std::int64_t x = 0; x < turned.width; ++x) {
        if (!(destination_of(o, source_of(o, {x, y}, size), size) == Position{x, y})) return false;
      }
    }
  }
  return true;
}

TEST_CASE("a composition moves every pixel as its parts do, one after the other") {
  STATIC_REQUIRE(composition_is_one_after_the_other());
}

TEST_CASE("orientations are a group") { STATIC_REQUIRE(group_laws_hold()); }

TEST_CASE("where a pixel goes is the inverse of where it comes from") {
  STATIC_REQUIRE(destination_undoes_source());
}

TEST_CASE("only the quarter turns have another orientation as inverse") {
  STATIC_REQUIRE(inverse(Orientation::rotate90) == Orientation::rotate270);
  STATIC_REQUIRE(inverse(Orientation::rotate270) == Orientation::rotate90);
  for (Orientation o : all_orientations) {
    if (o != Orientation::rotate90 && o != Orientation::rotate270) CHECK(inverse(o) == o);
  }
}

TEST_CASE("a turn and a mirror in either order are the two diagonals") {
  STATIC_REQUIRE(compose(Orientation::rotate90, Orientation::flop) == Orientation::transpose);
  STATIC_REQUIRE(compose(Orientation::flop, Orientation::rotate90) == Orientation::transverse);
}

TEST_CASE("every name leads back to its orientation") {
  for (Orientation o : all_orientations) CHECK(orientation_of_name(name(o)) == o);
  STATIC_REQUIRE(name(Orientation::rotate90) == "rotate90");
}

TEST_CASE("the other names in use are accepted") {
  STATIC_REQUIRE(orientation_of_name("hflip") == Orientation::flop);
  STATIC_REQUIRE(orientation_of_name("vflip") == Orientation::flip);
  STATIC_REQUIRE(orientation_of_name("cw") == Orientation::rotate90);
  STATIC_REQUIRE(orientation_of_name("ccw") == Orientation::rotate270);
  STATIC_REQUIRE(orientation_of_name("anti-transpose") == Orientation::transverse);
}

TEST_CASE("no other word names an orientation") {
  STATIC_REQUIRE(!orientation_of_name(""));
  STATIC_REQUIRE(!orientation_of_name("Rotate90"));
  STATIC_REQUIRE(!orientation_of_name("rotate"));
}

TEST_CASE("a number that is not an orientation is refused, with the number") {
  STATIC_REQUIRE(is_valid(Orientation::identity));
  STATIC_REQUIRE(is_valid(Orientation::rotate270));
  for (int number : {0, 9, 255}) {
    const auto wrong = static_cast<Orientation>(number);
    CHECK_FALSE(is_valid(wrong));
    const auto message =
        Catch::Matchers::Message("orientation is " + std::to_string(number) + ", expected 1 to 8");
    CHECK_THROWS_MATCHES(name(wrong), std::invalid_argument, message);
    CHECK_THROWS_MATCHES(reading(wrong), std::invalid_argument, message);
    CHECK_THROWS_MATCHES(inverse(wrong), std::invalid_argument, message);
    CHECK_THROWS_MATCHES(compose(Orientation::flop, wrong), std::invalid_argument, message);
    CHECK_THROWS_MATCHES(turned_size(wrong, {2, 3}), std::invalid_argument, message);
  }
}

}  // namespace
}  // namespace qturn::orientation_test
