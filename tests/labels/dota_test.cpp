#include "src/labels/one/label.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "tests/labels/painted.hpp"

namespace dota_test {

using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {12, 9};

std::string turned(const std::string& text, Orientation orientation, Size before = size) {
  return qturn::dota_format.turned(text, {.orientation = orientation, .size = before, .name = ""});
}

std::vector<std::vector<double>> corners(const std::string& label) {
  std::vector<std::vector<double>> all;
  std::istringstream lines(label);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<double> numbers;
    for (double number; words >> number;) numbers.push_back(number);
    if (numbers.size() == 8) all.push_back(numbers);
  }
  return all;
}

/// Twice the area, positive if the corners are clockwise as a picture is seen.
double area(const std::vector<double>& c) {
  double sum = 0;
  for (std::size_t i = 0; i < 8; i += 2) {
    const std::size_t next = (i + 2) % 8;
    sum += c[i] * c[next + 1] - c[next] * c[i + 1];
  }
  return sum;
}

/// The pixels whose middles lie in a box, by the side of each edge on which they are.
Canvas painted(const std::string& label, Size of) {
  Canvas canvas(of);
  for (const std::vector<double>& c : corners(label)) {
    for (std::int64_t y = 0; y < of.height; ++y) {
      for (std::int64_t x = 0; x < of.width; ++x) {
        bool is_inside = true;
        for (std::size_t i = 0; i < 8; i += 2) {
          const std::size_t next = (i + 2) % 8;
          const double side = (c[next] - c[i]) * (static_cast<double>(y) + 0.5 - c[i + 1]) -
                              (c[next + 1] - c[i + 1]) * (static_cast<double>(x) + 0.5 - c[i]);
          is_inside = is_inside && side > 0;
        }
        if (is_inside) canvas.at({x, y}) = '#';
      }
    }
  }
  return canvas;
}

const std::string label =
    "imagesource:GoogleEarth\r\ngsd:0.146343\r\n"
    "2.5 1 7.25 3.0 6.25 6 1.5 4  small-vehicle 0\r\n"
    "8 2 11 2 11 8 8 8 plane 1\r\n";

std::string why(const std::string& text) {
  return thrown_by([&] { return turned(text, Orientation::flop); });
}

}  // namespace

TEST_CASE("the corners of DOTA turn with their pixels and stay clockwise", "[labels][dota]") {
  for (const Orientation orientation : qturn::all_orientations) {
    const std::string now = turned(label, orientation);
    CHECK(painted(now, turned_size(orientation, size)) ==
          ::turned(painted(label, size), orientation));
    for (const auto& object : corners(now)) CHECK(area(object) > 0);
    CHECK(turned(now, inverse(orientation), turned_size(orientation, size)) == label);
  }
  CHECK(painted(label, size).pixels.find('#') != std::string::npos);
}

TEST_CASE("all but the corners of DOTA stays", "[labels][dota]") {
  CHECK(turned(label, Orientation::flop) ==
        "imagesource:GoogleEarth\r\ngsd:0.146343\r\n"
        "4.75 3.0 9.5 1 10.5 4 5.75 6  small-vehicle 0\r\n"
        "1 2 4 2 4 8 1 8 plane 1\r\n");
  CHECK(turned("gsd:null\n", Orientation::rotate90) == "gsd:null\n");
  CHECK(turned("", Orientation::rotate90).empty());
}

TEST_CASE("a line of DOTA that is not whole is refused with its place", "[labels][dota]") {
  const std::string first = "1 1 4 1 4 4 1 4 plane 0\n";
  CHECK(why(first + "1 1 4 1 4 4 1 plane 0\n").starts_with("2:1: 9 columns; an object has 10"));
  CHECK(why(first + "1 1 4 x 4 4 1 4 plane 0\n") == "2:7: 'x' is not a number");
  CHECK(why(first + "gsd:1\n").starts_with("2:1: 1 columns"));
  const qturn::LabelContent content = qturn::dota_format.read(first + "1 1 4\n", {});
  REQUIRE(content.shapes.size() == 1);
  CHECK(content.shapes[0].category == "plane");
  REQUIRE(content.problems.size() == 1);
  CHECK(content.problems[0].place->line == 2);
}

TEST_CASE("DOTA is known by its lines", "[labels][dota]") {
  CHECK(qturn::dota_format.is_of(label));
  CHECK_FALSE(qturn::dota_format.is_of("0 0.1 0.1 0.4 0.1 0.4 0.5 0.1 0.5\n"));
  CHECK_FALSE(qturn::dota_format.is_of("gsd:1\n"));
}

}  // namespace dota_test
