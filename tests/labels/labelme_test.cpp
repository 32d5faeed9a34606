#include "src/labels/one/label.hpp"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <qturn/pictures.hpp>

#include "src/picture/base64.hpp"
#include "tests/labels/painted.hpp"

namespace labelme_test {

using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

std::string turn(std::string_view text, Orientation orientation, Size of, std::string_view name,
                 std::span<const std::byte> picture = {}, bool comes_beside = false) {
  return qturn::labelme_format.turned(text, {.orientation = orientation,
                                             .size = of,
                                             .name = name,
                                             .picture = picture,
                                             .comes_beside = comes_beside});
}

std::string label_with(const std::string& shapes) {
  return "{\n  \"version\": \"5.5.0\",\n  \"flags\": {},\n  \"shapes\": [" + shapes +
         "],\n  \"imagePath\": \"a.jpg\",\n  \"imageData\": null,\n  \"imageHeight\": 5,\n"
         "  \"imageWidth\": 7\n}";
}

std::string shape(const std::string& type, const std::string& points,
                  const std::string& mask = "null") {
  return "{\"label\": \"x\", \"points\": " + points +
         ",\r\n\t\"group_id\": null, \"shape_type\": \"" + type +
         "\", \"flags\": {}, \"mask\": " + mask + "}";
}

/// A mask, as text: '1' is in it.
std::string mask_of(Size of, const std::string& bits) {
  return '"' + qturn::base64(png_of(of, bits)) + '"';
}

const std::string mask = mask_of({3, 2}, "110010");

/// A letter for each shape: rectangles and masks are filled, of others each point is a pixel.
Canvas painted(const std::string& text, Size of) {
  Canvas canvas(of);
  char letter = 'a';
  const auto json = nlohmann::json::parse(text);
  CHECK(json["imageWidth"] == of.width);
  CHECK(json["imageHeight"] == of.height);
  for (const auto& shape : json["shapes"]) {
    const std::string type = shape.value("shape_type", "polygon");
    const auto points = shape["points"].get<std::vector<std::array<double, 2>>>();
    if (type == "rectangle") {
      for (auto y = points[0][1]; y < points[1][1]; ++y)
        for (auto x = points[0][0]; x < points[1][0]; ++x)
          canvas.at({static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)}) = letter;
    } else if (type == "mask") {
      const auto png = qturn::bytes_of_base64(shape["mask"].get<std::string>()).value();
      const qturn::Position corner{static_cast<std::int64_t>(points[0][0]),
                                   static_cast<std::int64_t>(points[0][1])};
      const Size is = paint_png(canvas, png, corner, letter);
      CHECK(is == Size{static_cast<std::int64_t>(points[1][0]) - corner.x + 1,
                       static_cast<std::int64_t>(points[1][1]) - corner.y + 1});
    } else {
      for (const auto& [x, y] : points)
        canvas.at({static_cast<std::int64_t>(std::floor(x)),
                   static_cast<std::int64_t>(std::floor(y))}) = letter++;
    }
    ++letter;
  }
  return canvas;
}

std::string fails(const std::string& text, Orientation orientation = Orientation::rotate90) {
  return thrown_by([&] { return turn(text, orientation, size, "b.jpg"); });
}

}  // namespace

TEST_CASE("A turned LabelMe label painted is the painted label turned") {
  const std::string label = label_with(
      shape("rectangle", "[[1, 0], [4, 2]]") + ',' +
      shape("polygon", "[[0.5, 0.5], [6.25, 1.5], [3.5, 4.5]]") + ",{\"points\":[[5.5, 3.5]]}," +
      shape("linestrip", "[[1.5, 4.5], [2.5, 3.5]]") + ',' +
      shape("circle", "[[4.5, 3.5], [6.5, 3.5]]") + ',' + shape("point", "[[6.5, 2.5]]") + ',' +
      shape("mask", "[[0.0, 2.0], [2.0, 3.0]]", mask));
  for (const Orientation orientation : qturn::all_orientations) {
    CAPTURE(name(orientation));
    const std::string result = turn(label, orientation, size, "b.jpg");
    CAPTURE(result);
    CHECK(painted(result, qturn::turned_size(orientation, size)).pixels ==
          turned(painted(label, size), orientation).pixels);
  }
}

TEST_CASE("Eight orientations and their inverses give a LabelMe label back, byte for byte") {
  const std::string label =
      label_with(shape("rectangle", "[[1.50, 0], [ 4.123456789012345678,\n2]]") + " ,\t" +
                 shape("rectangle", "[[4, 2.5], [1, 3]]") + ',' +
                 shape("polygon", "[[-0.5, 7.5], [6.25, 1.0], [3.5, 4.5]]") + ',' +
                 shape("oriented_rectangle", "[[1, 0.5], [6, 1], [5, 4], [0, 3]]"));
  for (const Orientation orientation : qturn::all_orientations) {
    CAPTURE(name(orientation));
    const std::string once = turn(label, orientation, size, "b.jpg");
    CHECK(turn(once, inverse(orientation), qturn::turned_size(orientation, size), "a.jpg") ==
          label);
    CHECK((once == label) == false);
  }
  const std::string with_mask = label_with(shape("mask", "[[0.0, 2], [2.00, 3]]", mask));
  CHECK(turn(with_mask, Orientation::identity, size, "a.jpg") == with_mask);
}

TEST_CASE("Boxes of X-AnyLabeling turn, and their first side keeps its direction") {
  const std::string direction = "0.7853981633974483";
  const std::string rotation = R"({"label": "x", "shape_type": "rotation", "direction": )" +
                               direction +
                               R"(, "points": [[3.5, 0.5], [5.5, 2.5], [4.5, 3.5], [2.5, 1.5]]})";
  const std::string box = shape("rectangle", "[[1, 0], [4, 0], [4, 2], [1, 2]]");
  const std::string label = label_with(rotation + ',' + box);
  const auto turn_as = [](const std::string& text, Orientation orientation, Size of) {
    return turn(text, orientation, of, "a.jpg");
  };
  const auto corners = [](const std::string& text, Size of) {
    Canvas canvas(of);
    const auto json = nlohmann::json::parse(text);
    for (const auto& each : json["shapes"]) {
      const auto at = each["points"].get<std::vector<std::array<double, 2>>>();
      const double is = std::atan2(at[1][1] - at[0][1], at[1][0] - at[0][0]);
      CHECK(std::abs(std::remainder(each.value("direction", 0.0) - is, 2 * std::numbers::pi)) <
            1e-15);
      CHECK((at[1][0] - at[0][0]) * (at[2][1] - at[1][1]) >
            (at[1][1] - at[0][1]) * (at[2][0] - at[1][0]));  // clockwise
      const double width = std::hypot(at[1][0] - at[0][0], at[1][1] - at[0][1]);
      const double height = std::hypot(at[2][0] - at[1][0], at[2][1] - at[1][1]);
      paint_rotated(
          canvas, {(at[0][0] + at[2][0]) / 2, (at[0][1] + at[2][1]) / 2, width + 0.1, height + 0.1},
          is, each["shape_type"] == "rotation" ? 'x' : 'y');
    }
    return canvas;
  };
  check_turns(label, size, turn_as, corners);
  CHECK(turn_as(label_with(box), Orientation::rotate90, size)
            .find("[[3, 1], [5, 1], [5, 4], [3, 4]]") != std::string::npos);
  CHECK(turn_as(label, Orientation::flip, size).find("\"direction\": 5.4977871437821382,") !=
        std::string::npos);
  CHECK(qturn::labelme_format.read(label, {}).shapes[0].kind == qturn::ShapeKind::polygon);
  CHECK(fails("{\"shapes\":[{\"shape_type\":\"rotation\",\"points\":[[1,2]]}]}") ==
        "1:46: a rotated box has 4 points, not 1");
}

TEST_CASE("A LabelMe label that is parsed once is turned any number of times") {
  const std::string label = label_with(shape("polygon", "[[-0.5, 7.5], [6.25, 1.0]]") + ',' +
                                       shape("mask", "[[0.0, 2], [2.00, 3]]", mask));
  const auto parsed = qturn::labelme_format.parse(label);
  for (const Orientation orientation : qturn::all_orientations) {
    CHECK(parsed({.orientation = orientation, .size = size, .name = "b.jpg"}) ==
          turn(label, orientation, size, "b.jpg"));
  }
}

TEST_CASE("Corners of a LabelMe rectangle stay in their order") {
  const std::string flopped =
      turn(label_with(shape("rectangle", "[[1.5, 1], [4, 3]]")), Orientation::flop, size, "a.jpg");
  CHECK(flopped == label_with(shape("rectangle", "[[3, 1], [5.5, 3]]")));
}

TEST_CASE("A mask of a LabelMe label is turned in its place, also one that was cut at the edge") {
  const auto flopped = [](const std::string& points) {
    return turn(label_with(shape("mask", points, mask)), Orientation::flop, size, "a.jpg");
  };
  const std::string wanted = mask_of({3, 2}, "011010");
  CHECK(flopped("[[1, 2], [3.0, 3]]") == label_with(shape("mask", "[[3.0, 2], [5, 3]]", wanted)));
  CHECK(flopped("[[4.0, 2], [7.0, 3]]") == label_with(shape("mask", "[[0, 2], [2.0, 3]]", wanted)));
}

TEST_CASE("The path and the picture in a LabelMe label follow the picture") {
  const auto with = [](const std::string& path, const std::string& data) {
    return "{\"shapes\":[],\"imagePath\":" + path + ",\"imageData\":" + data + "}";
  };
  const std::vector<std::byte> picture = {std::byte{'f'}, std::byte{'o'}, std::byte{'o'}};
  const std::string label = with(R"("..\\x\\a.jpg")", "\"AAAA\"");
  CHECK(turn(label, Orientation::flop, size, "b\".jpg", picture) ==
        with(R"("..\\x\\b\".jpg")", "\"Zm9v\""));
  CHECK(turn(label, Orientation::identity, size, "b.jpg", picture) ==
        with(R"("..\\x\\b.jpg")", "\"AAAA\""));
  CHECK(turn(label, Orientation::flop, size, "b.jpg", picture, true) ==
        with("\"b.jpg\"", "\"Zm9v\""));
  CHECK(turn(with("\"x/a.jpg\"", "null"), Orientation::flop, size, "b.jpg", picture) ==
        with("\"x/b.jpg\"", "null"));
  // Other characters are escaped where they were.
  CHECK(turn(with("\"\\u00e9.jpg\"", "null"), Orientation::flop, size, "\xc3\xa9-2.jpg") ==
        with("\"\\u00e9-2.jpg\"", "null"));
  CHECK(turn(with("\"\xc3\xa9.jpg\"", "null"), Orientation::flop, size, "\xc3\xa9-2.jpg") ==
        with("\"\xc3\xa9-2.jpg\"", "null"));
  CHECK_THROWS_AS(turn(label, Orientation::flop, size, "\xff.jpg"), qturn::LabelError);
}

TEST_CASE("A broken LabelMe label is refused with its line and column") {
  CHECK(fails("").starts_with("1:1: is not well-formed JSON: "));
  CHECK(fails("{\"shapes\": [\n}").starts_with("2:1: is not well-formed JSON: "));
  CHECK(fails("[]") == "1:1: '[]' is not an object");
  CHECK(fails("{}") == "1:1: has no shapes");
  CHECK(fails("{\"shapes\":[]}") == "1:1: has no imagePath");
  CHECK(fails("{\"imageHeight\":7,\n\"imageWidth\":5}") ==
        "2:14: says 5 x 7, the picture is 7 x 5");
  const auto of_shape = [](const std::string& text) {
    return fails("{\"shapes\":[\n" + text + "]}");
  };
  CHECK(of_shape("1") == "2:1: '1' is not an object");
  CHECK(of_shape("{}") == "2:1: has no points");
  CHECK(of_shape("{\"points\":[[1,2,3]]}") == "2:12: a point has 2 numbers, not 3");
  CHECK(of_shape("{\"points\":[[1,\"2\"]]}") == "2:15: '\"2\"' is not a number");
  CHECK(of_shape("{\"shape_type\":\"rectangle\",\"points\":[[1,2]]}") ==
        "2:36: a rectangle has 2 points, not 1");
  CHECK(of_shape("{\"shape_type\":\"cuboid\",\"points\":[[1,2]]}") ==
        "2:15: a shape of the type 'cuboid' cannot be turned");
  CHECK(of_shape("{\"direction\":0.5,\"points\":[[1,2]]}") ==
        "2:14: the direction of a shape cannot be turned");
  CHECK(of_shape("{\"direction\":0,\"points\":[[1,2]]}") == "1:1: has no imagePath");
  CHECK(of_shape("{\"tip\":[1,2],\"points\":[[1,2]]}") ==
        "2:8: tip may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(of_shape("{\"line_color\":[255,0,0,9],\"group_id\":4,\"size\":7,\"points\":[[1,2]]}") ==
        "1:1: has no imagePath");
  const auto of_mask = [&](const std::string& points, const std::string& text) {
    return of_shape("{\"mask\":" + text + ",\"shape_type\":\"mask\",\"points\":" + points + "}");
  };
  const std::string points = "[[1,2],[3,3]]";
  CHECK(of_mask(points, "null") == "2:9: 'null' is not a string");
  CHECK(of_mask(points, "\"AA\"") == "2:9: is not a PNG in base64");
  CHECK(of_mask(points, "\"AAAA\"") == "2:9: is not a PNG in base64");
  CHECK(of_mask(points, "\"iVBORw0KGgo=\"").starts_with("2:9: "));
  CHECK(of_mask("[[1,2],[4,3]]", mask) == "2:9: is 3 wide or high, and 4 between its points");
  CHECK(of_mask("[[1.5,2],[3.5,3]]", mask) ==
        "2:9: lies between points that are not whole numbers");
  CHECK(of_mask("[[6,2],[8,3]]", mask) == "2:9: lies outside of the picture");
  CHECK(of_mask("[[-9223372036854775807,2],[9223372036854775807,3]]", mask) ==
        "2:9: lies outside of the picture");
}

TEST_CASE("A LabelMe label is told from other JSON") {
  CHECK(qturn::labelme_format.is_of(label_with("")));
  CHECK_FALSE(qturn::labelme_format.is_of("{\"images\": [], \"annotations\": []}"));
  CHECK_FALSE(qturn::labelme_format.is_of(""));
}

}  // namespace labelme_test
