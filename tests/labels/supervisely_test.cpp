#include "src/labels/one/label.hpp"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <nlohmann/json.hpp>
#include <qturn/pictures.hpp>

#include "src/formats/codec/zlib.hpp"
#include "src/picture/base64.hpp"
#include "tests/labels/painted.hpp"

namespace supervisely_test {

using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

std::string turn(const std::string& text, Orientation orientation, Size of = size) {
  return qturn::supervisely_format.turned(
      text, {.orientation = orientation, .size = of, .name = "a.png"});
}

std::string label_with(const std::string& objects) {
  return "{\n  \"description\": \"\", \"tags\": [],\r\n  \"size\": {\"height\": 5, \"width\": 7},\n"
         "  \"objects\": [" +
         objects + "]\n}";
}

std::string object(const std::string& type, const std::string& exterior,
                   const std::string& interior = "") {
  return "{\"id\": 12, \"classTitle\": \"cat\", \"geometryType\": \"" + type +
         "\",\t\"points\": {\"exterior\": [" + exterior + "], \"interior\": [" + interior + "]}}";
}

/// A picture of bits as a bitmap, in a zlib stream or not.
std::string bitmap(Size of, const std::string& bits, const std::string& origin, bool is_packed) {
  const std::vector<std::byte> png = png_of(of, bits);
  const std::string data = qturn::base64(is_packed ? qturn::zlib_of(png) : png);
  return "{\"classTitle\": \"dog\", \"geometryType\": \"bitmap\", \"bitmap\": {\"data\": \"" +
         data + "\", \"origin\": " + origin +
         "}, \"points\": {\"exterior\": [], \"interior\": []}}";
}

using Points = std::vector<std::array<std::int64_t, 2>>;

void paint_bitmap(Canvas& canvas, const nlohmann::json& bitmap, char letter) {
  auto png = qturn::bytes_of_base64(bitmap["data"].get<std::string>()).value();
  if (png[0] != std::byte{0x89}) png = qturn::bytes_of_zlib(png, 1 << 20).value();
  const auto origin = bitmap["origin"].get<std::array<std::int64_t, 2>>();
  paint_png(canvas, png, {origin[0], origin[1]}, letter);
}

/// A letter for each object: rectangles, whose corners are both in them, and bitmaps are filled, of
/// others each point is a pixel.
Canvas painted(const std::string& text, Size of) {
  Canvas canvas(of);
  char letter = 'a';
  const auto json = nlohmann::json::parse(text);
  CHECK(json["size"]["width"] == of.width);
  CHECK(json["size"]["height"] == of.height);
  for (const auto& object : json["objects"]) {
    if (object.contains("bitmap")) paint_bitmap(canvas, object["bitmap"], letter);
    auto points = object["points"]["exterior"].get<Points>();
    if (object["geometryType"] == "rectangle") {
      for (auto y = points[0][1]; y <= points[1][1]; ++y)
        for (auto x = points[0][0]; x <= points[1][0]; ++x) canvas.at({x, y}) = letter;
    } else {
      for (const auto& hole : object["points"]["interior"])
        for (const auto& point : hole.get<Points>()) points.push_back(point);
      for (const auto& [x, y] : points) canvas.at({x, y}) = letter;
    }
    ++letter;
  }
  return canvas;
}

std::string fails(const std::string& text) {
  return thrown_by([&] { return turn(text, Orientation::flop); });
}

}  // namespace

TEST_CASE("The objects of Supervisely turn with their pixels and back to the same bytes") {
  const std::string packed = bitmap({3, 2}, "110010", "[4, 3]", true);
  const std::string plain = bitmap({2, 2}, "1011", "[0, 0]", false);
  const std::string label = label_with(object("rectangle", "[2, 0], [4, 1]") + ",\n" +
                                       object("polygon", "[0, 2], [3, 2], [2, 4]", "[[1, 2]]") +
                                       "," + object("line", "[5, 0], [6, 2]") + "," +
                                       object("point", "[6, 0]") + "," + packed + "," + plain);
  const std::string as_written = turn(turn(label, Orientation::rotate180), Orientation::rotate180);
  CHECK(painted(as_written, size) == painted(label, size));
  check_turns(as_written, size, turn, painted);
  CHECK(turn(label, Orientation::identity) == label);
}

TEST_CASE("All but coordinates of a Supervisely label stays") {
  CHECK(turn(label_with(object("rectangle", "[2, 0], [4, 1]")), Orientation::flop) ==
        label_with(object("rectangle", "[2, 0], [4, 1]")));
  CHECK(turn(label_with(object("rectangle", "[0, 0], [4, 1]")), Orientation::flop) ==
        label_with(object("rectangle", "[2, 0], [6, 1]")));
  CHECK(turn(label_with(""), Orientation::rotate90) ==
        "{\n  \"description\": \"\", \"tags\": [],\r\n  \"size\": {\"height\": 7, \"width\": 5},\n"
        "  \"objects\": []\n}");
}

TEST_CASE("What Supervisely says is read") {
  const qturn::LabelContent content = qturn::supervisely_format.read(
      label_with(object("rectangle", "[2, 0], [6, 4]") + "," + object("graph", "") + "," +
                 bitmap({3, 2}, "110010", "[4, 3]", true)),
      {});
  CHECK(content.said == size);
  REQUIRE(content.shapes.size() == 2);
  CHECK(content.shapes[0].category == "cat");
  CHECK(content.shapes[0].points[1].x == 7);
  CHECK(content.shapes[1].kind == qturn::ShapeKind::image_mask);
  CHECK(content.shapes[1].points[1].y == 5);
  REQUIRE(content.problems.size() == 1);
  CHECK(content.problems[0].why == "an object of the type 'graph' cannot be turned");
}

TEST_CASE("A broken Supervisely label is refused with its line and column") {
  CHECK(fails("{") ==
        "1:2: is not well-formed JSON: syntax error while parsing object key - "
        "unexpected end of input; expected string literal");
  CHECK(fails("{}") == "1:1: has no size");
  CHECK(fails("{\"size\": {\"height\": 7, \"width\": 5}, \"objects\": []}") ==
        "1:33: says 5 x 7, the picture is 7 x 5");
  const auto of_object = [](const std::string& text) { return fails(label_with("\n" + text)); };
  CHECK(of_object("{}") == "5:1: has no geometryType");
  CHECK(of_object("{\"geometryType\": \"cuboid\"}") ==
        "5:18: an object of the type 'cuboid' cannot be turned");
  CHECK(of_object("{\"geometryType\": \"point\"}") == "5:1: has no points");
  CHECK(of_object(object("rectangle", "[1, 1]")).ends_with("a rectangle has 2 points, not 1"));
  CHECK(of_object(object("polygon", "[1.5, 1]")).ends_with(": 1.5 is not the number of a pixel"));
  CHECK(of_object("{\"geometryType\": \"point\", \"bbox\": [1, 2, 3, 4]}") ==
        "5:35: bbox may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(of_object(bitmap({3, 2}, "110010", "[5, 3]", true))
            .ends_with("the bitmap lies outside of the picture"));
  CHECK(of_object(bitmap({3, 2}, "110010", "[9223372036854775807, -9]", true))
            .ends_with("the bitmap lies outside of the picture"));
  CHECK(
      of_object(
          "{\"geometryType\": \"bitmap\", \"bitmap\": {\"data\": \"AAAA\", \"origin\": [0, 0]}}") ==
      "5:47: is not a PNG, or one in a zlib stream, in base64");
}

TEST_CASE("A Supervisely label is told from other JSON") {
  CHECK(qturn::supervisely_format.is_of(label_with("")));
  CHECK_FALSE(qturn::supervisely_format.is_of("{\"shapes\": [], \"imagePath\": \"a.jpg\"}"));
}

}  // namespace supervisely_test
