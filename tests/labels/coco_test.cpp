#include "src/labels/many/coco.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "src/labels/geometry.hpp"
#include "tests/labels/painted.hpp"

namespace coco_test {

using Catch::Matchers::StartsWith;
using qturn::CocoAnnotation;
using qturn::CocoCategories;
using qturn::CocoImage;
using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

CocoCategories people() {
  CocoCategories categories;
  qturn::add_coco_category(R"({"id": 1, "keypoints": ["nose", "left_eye", "right_eye"]})", {},
                           categories);
  return categories;
}

std::string with(const std::string& members) {
  return R"({"id": 0, "image_id": 0, )" + members + "}";
}

/// Ids of 0 stay, so that what comes back is the same.
std::string turned_text(const std::string& text, Orientation orientation, Size of_size = size,
                        Orientation variant = Orientation::identity) {
  CocoAnnotation annotation(text, {});
  annotation.read_shapes();
  return annotation.turned({{variant, orientation}, "b__x.jpg"}, "x/a.jpg", of_size, people());
}

/// The pixels whose centres lie in a box; the pixels of polygons' corners, of a mask and of
/// keypoints.
Canvas painted(const std::string& text, Size of_size) {
  Canvas canvas(of_size);
  const auto json = nlohmann::json::parse(text);
  const auto each_pixel = [&](auto paint) {
    for (std::int64_t y = 0; y < of_size.height; ++y)
      for (std::int64_t x = 0; x < of_size.width; ++x) paint(x, y, canvas.at({x, y}));
  };
  if (json.contains("bbox")) {
    const std::vector<double> box = json["bbox"];
    if (box.size() == 5) {
      paint_rotated(canvas, {box[0], box[1], box[2], box[3]}, -box[4] * std::numbers::pi / 180,
                    'r');
      return canvas;
    }
    each_pixel([&](auto x, auto y, char& pixel) {
      if (x + 0.5 > box[0] && x + 0.5 < box[0] + box[2] && y + 0.5 > box[1] &&
          y + 0.5 < box[1] + box[3]) {
        pixel = 'b';
      }
    });
  }
  if (json.contains("segmentation") && json["segmentation"].is_array()) {
    char mark = 'A';
    for (const std::vector<double> polygon : json["segmentation"])
      for (std::size_t i = 0; i + 1 < polygon.size(); i += 2)
        canvas.at({static_cast<std::int64_t>(std::floor(polygon[i])),
                   static_cast<std::int64_t>(std::floor(polygon[i + 1]))}) = mark++;
  }
  if (json.contains("segmentation") && json["segmentation"].is_object()) {
    const auto& mask = json["segmentation"];
    CHECK(mask["size"] == std::vector<std::int64_t>{of_size.height, of_size.width});
    const qturn::RunLengths runs =
        mask["counts"].is_string() ? qturn::runs_of_code(mask["counts"].get<std::string>()).value()
                                   : mask["counts"].get<qturn::RunLengths>();
    std::int64_t at = 0;
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (std::uint32_t k = 0; k < runs[i]; ++k, ++at)
        if (i % 2 == 1) canvas.at({at / of_size.height, at % of_size.height}) = '#';
  }
  if (json.contains("keypoints")) {
    const std::vector<double> points = json["keypoints"];
    for (std::size_t i = 0; i < points.size(); i += 3)
      if (points[i + 2] > 0)
        canvas.at(
            {static_cast<std::int64_t>(points[i]), static_cast<std::int64_t>(points[i + 1])}) = '0';
  }
  return canvas;
}

std::string fails(const std::string& text, Orientation orientation = Orientation::rotate90) {
  return thrown_by([&] { return turned_text(text, orientation); });
}

const std::string shapes[] = {
    R"("bbox": [1, 0, 2, 4])",
    R"("bbox": [1.0,0.5,2.25,4.25], "area": 9.5625, "iscrowd": 0)",
    R"("bbox": [3.25, 2.0, 5.5, 2.0, 30.0], "area": 11)",
    R"("bbox": [3.5,2.5,4,1.25,-120.5])",
    R"("segmentation": [[0.5, 0.5, 3.50, 0.5, 6.5, 4.5], [1.5, 1.25, 2.5, 3.75]])",
    R"("segmentation": {"counts": [6, 3, 2, 3, 21], "size": [5, 7]}, "iscrowd": 1)",
    "\"segmentation\": {\"counts\": [\n  6,\n  3,\n  26\n ],\n \"size\": [\n 5,\n 7]}",
    R"("segmentation": {"size": [5, 7], "counts": "6320c0"}, "more": [1, {"y": null}])",
    R"("category_id": 1, "keypoints": [6, 0, 2, 2, 3, 1, 0, 0, 0], "num_keypoints": 2)",
    R"("segmentation": [], "bbox": [], "keypoints": [], "caption": "a \"cat\" \u00e9")",
    R"("segmentation": null, "bbox": null, "keypoints": null)",
};

}  // namespace

TEST_CASE(
    "A turned COCO annotation painted is the painted annotation turned, and turns back to its "
    "bytes") {
  const auto turn = [](const std::string& text, Orientation orientation, Size of) {
    return turned_text(text, orientation, of);
  };
  for (const std::string& shape : shapes) {
    CHECK(turned_text(with(shape), Orientation::identity) == with(shape));
    if (shape.find("[]") != std::string::npos || shape.find("null,") != std::string::npos)
      check_restored(with(shape), size, turn, turn);
    else
      check_turns(with(shape), size, turn, painted);
  }
}

TEST_CASE("Each shape of COCO is turned by its own rule, in the decimals of the file") {
  const auto flopped = [](const std::string& shape) {
    const std::string text = turned_text(with(shape), Orientation::flop, {640, 480});
    return text.substr(with("").size() - 1, text.size() - with("").size());
  };
  CHECK(flopped(R"("bbox": [473.07, 395.93, 38.65, 28.67])") ==
        R"("bbox": [128.28, 395.93, 38.65, 28.67])");
  CHECK(flopped(R"("bbox": [ 10.0,20,30.0,40 ])") == R"("bbox": [ 600.0,20,30.0,40 ])");
  CHECK(flopped(R"("bbox": [-2.5, 0, 10.5, 1])") == R"("bbox": [632.0, 0, 10.5, 1])");
  CHECK(flopped(R"("segmentation": [[510.66, 423.01, 511.720, 0]])") ==
        R"("segmentation": [[129.34, 423.01, 128.280, 0]])");
  // Keypoints name pixels, and left and right change places, with their visibility.
  CHECK(flopped(R"("category_id": 1, "keypoints": [0, 1, 2, 639, 2, 1, 0, 0, 0])") ==
        R"("category_id": 1, "keypoints": [639, 1, 2, 0, 0, 0, 0, 2, 1])");
  CHECK(turned_text(with(R"("category_id": 1, "keypoints": [0, 1, 2, 6, 2, 1, 0, 0, 0])"),
                    Orientation::rotate90) ==
        with(R"("category_id": 1, "keypoints": [3, 0, 2, 2, 6, 1, 0, 0, 0])"));
  CHECK(turned_text(with(R"("bbox": [1, 0.5, 2, 4])"), Orientation::rotate90) ==
        with(R"("bbox": [0.5, 1, 4, 2])"));
}

TEST_CASE("The angle of a COCO box counts the other way round in a mirror") {
  const auto box = [](const std::string& degrees) {
    return with(R"("bbox": [3, 2, 1, 1], "attributes": {"occluded": false, "rotation": )" +
                degrees + "}");
  };
  CHECK(turned_text(box("30.0"), Orientation::flop) == box("330.0"));
  CHECK(turned_text(box("-30.5"), Orientation::flop) == box("30.5"));
  CHECK(turned_text(box("0.0"), Orientation::flop) == box("0.0"));
  CHECK(turned_text(box("30.0"), Orientation::rotate180) == box("30.0"));
  const auto turn = [](const std::string& text, Orientation orientation, Size of) {
    const std::string once = turned_text(text, orientation, of);
    CHECK((once.find("347.5") != text.find("347.5")) == qturn::mirrors(orientation));
    return once;
  };
  check_restored(box("12.5"), size, turn, turn);
  CHECK(fails(box("\"left\"")) == "1:94: '\"left\"' is not a number");
}

TEST_CASE("New COCO ids are 8 times the old ones and the number of the variant minus 1") {
  const std::string text = R"({"id": 7, "image_id": 900100448263, "category_id": 3})";
  CHECK(turned_text(text, Orientation::identity) ==
        R"({"id": 56, "image_id": 7200803586104, "category_id": 3})");
  CHECK(turned_text(text, Orientation::identity, size, Orientation::rotate270) ==
        R"({"id": 63, "image_id": 7200803586111, "category_id": 3})");
}

TEST_CASE("COCO ids may be strings, and numbers of any length") {
  const auto turned_ids = [](const std::string& id, const std::string& image) {
    return turned_text(fmt::format(R"({{"id": {}, "image_id": {}}})", id, image),
                       Orientation::identity, size, Orientation::flop);
  };
  CHECK(turned_ids(R"("a\"b")", R"("x/1.jpg")") ==
        R"({"id": "a\"b__flop", "image_id": "x/1.jpg__flop"})");
  CHECK(turned_ids("1125899906842624", "18446744073709551615") ==
        R"({"id": 9007199254740993, "image_id": 147573952589676412921})");
  CHECK(turned_ids("0", "7.0") == R"({"id": 1, "image_id": 57})");
  CHECK(CocoAnnotation(R"({"id": 1, "image_id": 7.0})", {}).image() == "7");
  CHECK(CocoAnnotation(R"({"id": 1, "image_id": "7"})", {}).image() == R"("7")");
}

TEST_CASE("Five numbers of a COCO box are the middle and degrees, or the corner and radians") {
  const auto flopped = [](const std::string& members) {
    return turned_text(with(members), Orientation::flop, {80, 50});
  };
  const std::string five = R"("bbox": [4, 6, 16, 24, 0.0])";
  CHECK(
      fails(with(five)).starts_with("1:34: five numbers of a bbox are the middle, width, height "));
  // The corners tell, in any form; the outline of the object as well.
  for (const std::string corners :
       {"[[4, 6, 20, 6, 20, 30, 4, 30]]", "[[4, 6], [20, 6], [20, 30], [4, 30]]",
        "[[12, 6.5, 19, 18, 12, 30, 5, 18]]"})
    CHECK_THAT(flopped(five + R"(, "segmentation": )" + corners),
               StartsWith(with(R"("bbox": [60, 6, 16, 24, 0.0])").substr(0, 50)));
  CHECK_THAT(flopped(five + R"(, "segmentation": [[0, 0, 12, 0, 12, 18, 0, 18]])"),
             StartsWith(with(R"("bbox": [76, 6, 16, 24, 0.0])").substr(0, 50)));
  CHECK_THAT(flopped(five + R"(, "bbox_mode": 4)"),
             StartsWith(with(R"("bbox": [76, 6, 16, 24, 0.0])").substr(0, 50)));
  CHECK(fails(with(five + R"(, "segmentation": [[60, 6, 70, 6, 70, 30]])")).find("five numbers") !=
        std::string::npos);
  // A corner, 20 x 10 pixels and 0.5 radians counter-clockwise around the middle 30, 25.
  const std::string turned_box =
      R"("bbox": [20, 20, 20, 10, 0.5], "segmentation": [[18.83, 25.41, 36.38, 15.82, 41.17, 24.59, 23.62, 34.18]])";
  CHECK_THAT(flopped(turned_box),
             StartsWith(with(R"("bbox": [40, 20, 20, 10, -0.5])").substr(0, 52)));
  CHECK_THAT(turned_text(with(turned_box), Orientation::rotate90, {80, 50}),
             StartsWith(with(R"("bbox": [20, 20, 10, 20, 0.5])").substr(0, 51)));
  for (const Orientation orientation : qturn::all_orientations) {
    const std::string once = turned_text(with(turned_box), orientation, {80, 50});
    CHECK(turned_text(once, inverse(orientation), qturn::turned_size(orientation, {80, 50})) ==
          with(turned_box));
  }
}

TEST_CASE("A COCO image gets its new name and size, and keeps the rest") {
  const auto turned_image = [](const std::string& text, Orientation orientation,
                               const std::string& name) {
    return CocoImage(text, {}).turned({{orientation, orientation}, name});
  };
  const std::string image =
      R"({"license": 3, "file_name": "val/a.jpg", "height": 427,"width": 640.0, "id": 2})";
  CHECK(
      turned_image(image, Orientation::rotate90, "a__rotate90.jpg") ==
      R"({"license": 3, "file_name": "val/a__rotate90.jpg", "height": 640.0,"width": 427, "id": 21})");
  CHECK(
      turned_image(image, Orientation::flop, "a__flop.png") ==
      R"({"license": 3, "file_name": "val/a__flop.png", "height": 427,"width": 640.0, "id": 17})");
  // Characters stay escaped where they were, and only there.
  const auto renamed = [&](const std::string& old) {
    return turned_image(R"({"id":0,"width":1,"height":1,"file_name":")" + old + "\"}",
                        Orientation::identity, "\xc3\xa9.jpg");
  };
  CHECK(renamed("\\u00e9.png").ends_with("\"\\u00e9.jpg\"}"));
  CHECK(renamed("d\\\\\xc3\xa9.png").ends_with("\"d\\\\\xc3\xa9.jpg\"}"));
}

TEST_CASE("Keypoints whose names differ in left and right change places in a mirror") {
  const auto keypoints_of = [](const std::string& names) {
    CocoCategories categories;
    qturn::add_coco_category(R"({"id": 1, "keypoints": [)" + names + "]}", {}, categories);
    return categories.at("1");
  };
  using Flip = std::vector<std::size_t>;
  CHECK(keypoints_of(R"("nose", "left_eye", "right_eye")").flip == Flip{0, 2, 1});
  CHECK(keypoints_of(R"("Eye Right", "Eye Left", "tail")").flip == Flip{1, 0, 2});
  CHECK(keypoints_of(R"("center")").flip == Flip{0});
  CHECK(keypoints_of(R"("left_eye", "nose")").problem ==
        "the category has a keypoint left_eye and none right_eye");
  CHECK(keypoints_of(R"("l_eye", "r_eye")").problem ==
        "the category has no keypoint that is called left or right");
  const CocoCategories categories = people();
  CHECK(qturn::why_not_mirrored(categories, "1", 3).empty());
  CHECK(qturn::why_not_mirrored(categories, "1", 17)
            .starts_with("has 17 keypoints, and category 1 names 3"));
  CHECK(qturn::why_not_mirrored(categories, "2", 3)
            .starts_with("category 2 does not name its keypoints"));
  CocoCategories twice = people();
  CHECK_THROWS_AS(qturn::add_coco_category(R"({"id": 1, "keypoints": []})", {}, twice),
                  qturn::LabelError);
}

TEST_CASE("A COCO annotation that cannot be turned is refused with its line and column") {
  CHECK(fails("{\"id\": 1}") == "1:1: has no image_id");
  CHECK(fails("{\n \"image_id\": 1,\n \"id\": -1}") ==
        "3:8: id -1 is neither a whole number from 0 on nor a string");
  CHECK(
      fails(R"({"id": 1.5, "image_id": 1})").starts_with("1:8: id 1.5 is neither a whole number"));
  CHECK(fails(with(R"("bbox": [1, 2, 3])")) ==
        "1:34: bbox has 3 numbers, expected x, y, width and height, and perhaps an "
        "angle");
  CHECK(fails(with(R"("bbox": [1, 2, 3, "4"])")) == "1:44: '\"4\"' is not a number");
  CHECK(fails(with(R"("bbox": [1, 2, 3, 4)")).find("is not well-formed JSON") != std::string::npos);
  CHECK(fails(with(R"("segmentation": [[1, 2, 3]])")) ==
        "1:43: a polygon has an odd number of coordinates");
  CHECK(fails(with(R"("segmentation": [1, 2])")) == "1:43: '1' is not an array");
  CHECK(fails(with(R"("segmentation": {"counts": [34], "size": [5, 7]})")) ==
        "1:53: counts do not fill 7 x 5 pixels");
  CHECK(fails(with(R"("segmentation": {"counts": "~", "size": [5, 7]})")) ==
        "1:53: counts is not a compressed mask");
  CHECK(fails(with(R"("segmentation": {"counts": [35], "size": [7, 5]})")) ==
        "1:68: the mask is 5 x 7, the image 7 x 5");
  CHECK(fails(with(R"("segmentation": {"counts": [1], "size": [65536, 65536]})"))
            .find("a mask of more than 1073741824 pixels") != std::string::npos);
  CHECK(fails(with(R"("keypoints": [1, 2, 2, 3])"))
            .starts_with("1:39: keypoints has 4 numbers, expected x, y and visibility"));
  CHECK(fails(with(R"("segments_info": [])")) == "1:1: has no file_name");
  for (const char* member :
       {R"("angle": 30)", R"("theta": [0.5])", R"("attributes": {"extreme_points": [1, 2]})",
        R"("vbox": [1, 2, 3, 4])", R"("hull": [[1, 2], [3, 4]])", R"("nose_u": 3, "nose_v": 2)",
        R"("cuboid": [1, 2, 3, 4, 5, 6])", R"("attributes": {"top": 3}, "left": 2)",
        R"("where": "3 2 5 4")", R"("center2d": [1, 2])", R"("quad": [1, 2, 3, 4])",
        R"("center": [1, 2])"})
    CHECK(fails(with(member))
              .ends_with("may hold coordinates, and cannot be turned; leave it out of the file"));
  for (const char* member : {R"("angle": 0.0)", R"("attribute_ids": [1, 2, 30, 400])",
                             R"("caption": "an angle")", R"("bbox_mode": 1)", R"("center": 3)",
                             R"("attributes": {"rotation": 30.0, "occluded": false})",
                             R"("score": 0.5, "track_id": 7, "occluded": 1, "truncated": -1)",
                             R"("date": "2026-11-05 10:12:33", "weight": 2.5)"})
    CHECK(fails(with(member)).empty());
  CHECK(fails(with(R"("bbox_mode": 0)")).ends_with("bbox_mode 0 cannot be turned"));
  CHECK(fails(with(R"("file_name": "a.png", "segments_info": [{"bbox": [1]}])")) ==
        "1:75: bbox has 1 numbers, expected x, y, width and height, and perhaps an "
        "angle");
  const std::string tail = with(R"("category_id": 2, "keypoints": [1, 2, 2])");
  CHECK(fails(tail).empty());
  CHECK(fails(tail, Orientation::transpose)
            .starts_with("1:58: category 2 does not name its keypoints"));
}

TEST_CASE(
    "Of a panoptic annotation the boxes of the segments turn, and it is named after its image") {
  const std::string segments =
      R"("segments_info": [{"id": 7, "category_id": 1, "bbox": [1, 2, 3, 2], "area": 4}, {"id": 9}])";
  CHECK(turned_text(R"({"file_name": "m/a_id.png", "image_id": 0, )" + segments + "}",
                    Orientation::flop) ==
        R"({"file_name": "m/b__x_id.png", "image_id": 0, "segments_info": [{"id": 7, )"
        R"("category_id": 1, "bbox": [3, 2, 3, 2], "area": 4}, {"id": 9}]})");
}

}  // namespace coco_test
