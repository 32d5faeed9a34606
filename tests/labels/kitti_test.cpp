#include "src/labels/one/label.hpp"

#include <catch2/catch_test_macros.hpp>

#include <sstream>
#include <string>

#include "tests/labels/painted.hpp"

namespace kitti_test {

using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {12, 9};
const std::string blank = " -1 -1 -1 -1000 -1000 -1000 -10";
const std::string zeros = " 0.00 0 0 0 0.0 0 0";

std::string turn(const std::string& text, Orientation orientation, Size of = size) {
  return qturn::kitti_format.turned(text, {.orientation = orientation, .size = of, .name = ""});
}

/// Both corners are in a box.
Canvas painted(const std::string& label, Size of) {
  Canvas canvas(of);
  std::istringstream lines(label);
  char letter = 'a';
  for (std::string line; std::getline(lines, line); ++letter) {
    std::istringstream words(line);
    std::string type, truncated, occluded, alpha;
    double left = 0, top = 0, right = 0, bottom = 0;
    words >> type >> truncated >> occluded >> alpha >> left >> top >> right >> bottom;
    for (auto y = top; y <= bottom; ++y)
      for (auto x = left; x <= right; ++x)
        canvas.at({static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)}) = letter;
  }
  return canvas;
}

std::string fails(const std::string& text) {
  return thrown_by([&] { return turn(text, Orientation::flop); });
}

const std::string label = "Car 0.50 2 -10 0.00 1.00 3.00 8.00" + blank +
                          "\r\nDontCare -1 -1 -10 5 0 11 2" + blank +
                          " 0.97\r\nPerson_sitting 0 0 0 5 4 5 6" + zeros + "\r\n";
const std::string in_3d =
    "Car 0.50 2 -1.57 0.00 1.00 3.00 8.00 2.85 2.63 12.34 0.47 1.49 69.44 -1.56\n";

}  // namespace

TEST_CASE("The boxes of KITTI turn with their pixels and back to the same bytes") {
  check_turns(label, size, turn, painted);
  CHECK(turn(label, Orientation::flop) ==
        "Car 0.50 2 -10 8.00 1.00 11.00 8.00" + blank + "\r\nDontCare -1 -1 -10 0 0 6 2" + blank +
            " 0.97\r\nPerson_sitting 0 0 0 6 4 6 6" + zeros + "\r\n");
  CHECK(turn("", Orientation::flop).empty());
}

TEST_CASE("Where an object of KITTI is in front of the camera is refused") {
  CHECK(fails(in_3d) ==
        "1:12: says where an object is in front of the camera, which a turned picture is not of");
  CHECK(turn(in_3d, Orientation::identity) == in_3d);
  CHECK(qturn::is_any_kitti(in_3d));
  CHECK_FALSE(qturn::kitti_format.is_of(in_3d));
  CHECK_FALSE(qturn::kitti_format.is_of(label + in_3d));
  CHECK(qturn::kitti_format.is_of(label));
  CHECK_FALSE(qturn::is_any_kitti("0 0.1 0.1 0.4 0.1 0.4 0.5 0.1 0.5 0.1 0.1 0.4 0.1 0.4 0.5\n"));
  CHECK_FALSE(qturn::is_any_kitti(""));
}

TEST_CASE("A line of KITTI that is not whole is refused with its place") {
  CHECK(fails("Car 0 0 -10 1 1 2 2\n") == "1:1: 8 columns; an object has 15, or 16 with a score");
  CHECK(fails("Car 0 0 -10 1 x 2 2" + blank + "\n") == "1:15: 'x' is not a number");
  const qturn::LabelContent content = qturn::kitti_format.read("Car 0\n" + in_3d, {});
  REQUIRE(content.shapes.size() == 1);
  CHECK(content.shapes[0].category == "Car");
  CHECK(content.shapes[0].points[1].x == 4);
  REQUIRE(content.problems.size() == 1);
  CHECK(content.problems[0].place->line == 1);
}

}  // namespace kitti_test
