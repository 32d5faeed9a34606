#include "src/labels/one/label.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <nlohmann/json.hpp>

#include "tests/labels/painted.hpp"

namespace cityscapes_test {

using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

std::string turn(const std::string& text, Orientation orientation, Size of = size) {
  return qturn::cityscapes_format.turned(text,
                                         {.orientation = orientation, .size = of, .name = "a.png"});
}

std::string label_with(const std::string& objects) {
  return "{\n    \"imgHeight\": 5, \n    \"imgWidth\": 7, \n    \"objects\": [" + objects + "]\n}";
}

std::string road(const std::string& points) {
  return "\n{\"label\": \"road\", \"deleted\": 0, \"polygon\": [" + points + "]}";
}

/// Each point is a pixel.
Canvas painted(const std::string& text, Size of) {
  Canvas canvas(of);
  char letter = 'a';
  const auto json = nlohmann::json::parse(text);
  CHECK(json["imgWidth"] == of.width);
  CHECK(json["imgHeight"] == of.height);
  for (const auto& object : json["objects"]) {
    for (const auto& point : object["polygon"])
      canvas.at({point[0].get<std::int64_t>(), point[1].get<std::int64_t>()}) = letter;
    ++letter;
  }
  return canvas;
}

std::string fails(const std::string& text) {
  return thrown_by([&] { return turn(text, Orientation::flop); });
}

const std::string label = label_with(road("[0, 0], [6, 0], [6, 4]") + "," + road("[2, 1]"));

}  // namespace

TEST_CASE("The polygons of Cityscapes turn with their pixels and back to the same bytes") {
  check_turns(label, size, turn, painted);
  CHECK(turn(label, Orientation::flop) ==
        label_with(road("[6, 0], [0, 0], [0, 4]") + "," + road("[4, 1]")));
}

TEST_CASE("What Cityscapes says is read, and what is broken told with its place") {
  const qturn::LabelContent content =
      qturn::cityscapes_format.read(label_with(road("[0, 0]") + ",{}"), {});
  CHECK(content.said == size);
  REQUIRE(content.shapes.size() == 1);
  CHECK(content.shapes[0].category == "road");
  CHECK(content.shapes[0].points[0].x == 0.5);
  CHECK(content.problems.size() == 1);
  CHECK(fails("{\"imgHeight\": 7,\n\"imgWidth\": 5}") == "2:13: says 5 x 7, the picture is 7 x 5");
  CHECK(fails(label_with(road("[1, \"2\"]"))) == "5:49: '\"2\"' is not a number");
  CHECK(fails(label_with("\n{\"label\": \"person\", \"bbox\": [1, 2, 3, 4]}")) ==
        "5:29: bbox may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(qturn::cityscapes_format.is_of(label));
  CHECK_FALSE(qturn::cityscapes_format.is_of("{\"objects\": []}"));
}

}  // namespace cityscapes_test
