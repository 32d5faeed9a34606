// Label files in which one element says all of one picture.
#include "src/labels/many/label_element.hpp"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

#include "src/labels/many/coco.hpp"
#include "src/labels/many/element_file.hpp"
#include "src/labels/one/label.hpp"
#include "tests/labels/in_parts.hpp"
#include "tests/labels/painted.hpp"

namespace label_element_test {

using qturn::LabelledImages;
using qturn::LabelledVariant;
using qturn::Orientation;
using qturn::ShapeKind;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

const qturn::SharedLabelFormat& format_called(std::string_view option) {
  return *std::ranges::find(qturn::shared_label_formats, option, &qturn::SharedLabelFormat::option);
}

struct Labels {
  const qturn::SharedLabelFormat& format;
  std::string text;

  std::unique_ptr<LabelledImages> images() const {
    const auto reader = format.reader({});
    feed(*reader, text);
    return reader->finish();
  }

  std::string written(const std::vector<Variants>& variants) const {
    const auto read = images();
    std::string result;
    const auto writer = format.writer(
        *read, [&](std::size_t image) -> const Variants& { return variants.at(image); },
        [&](std::string_view part) { result += part; });
    feed(*writer, text);
    writer->finish();
    return result;
  }

  /// Of a file whose only picture is called so then.
  Labels turned(Orientation orientation, Size of = size, const std::string& name = "a.jpg") const {
    return {format, written({{{.turn = {std::nullopt, orientation}, .name = name, .size = of}}})};
  }

  /// In pixels of a picture of this size.
  std::vector<qturn::LabelShape> shapes(Size of) const {
    const auto read = images();
    std::vector<qturn::LabelShape> all;
    const auto taker = format.shapes(*read, [&](std::size_t, const qturn::LabelContent& content) {
      for (qturn::LabelShape& shape : in_pixels(content, of)) all.push_back(std::move(shape));
    });
    feed(*taker, text);
    taker->finish();
    return all;
  }

  std::string fails() const {
    std::string problem;
    const std::string thrown = thrown_by([&] {
      const auto read = images();
      return problem = read->size() > 0 ? read->problem(0) : "";
    });
    return thrown + problem;
  }
};

Labels hugging_face(std::string text) { return {format_called("huggingface"), std::move(text)}; }

Labels hugging_face_voc(std::string text) {
  return {format_called("huggingface:voc"), std::move(text)};
}

Labels cvat(std::string shapes) {
  return {format_called("cvat"),
          "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n"
          "  <!-- <image> -->\n  <image id=\"3\" name=\"a.jpg\" width=\"7\" height=\"5\">\n" +
              shapes + "\n  </image>\n</annotations>\n"};
}

/// Of one task with these results.
Labels label_studio(const std::string& results) {
  return {format_called("labelstudio"),
          R"([{"id": 3, "data": {"image": "/data/local-files/?d=x/a.jpg", "text": "1 2 3 4"},)"
          R"( "annotations": [{"id": 5, "completed_by": {"id": 2}, "result": [)" +
              results +
              R"(], "task": 3, "prediction": {}}], "predictions": [7], "drafts": []}])"
              "\n"};
}

/// Of one item with these annotations.
Labels datumaro(const std::string& annotations) {
  return {
      format_called("datumaro"),
      R"({"dm_format_version": "1.0", "infos": {}, "categories": {"label": {"labels": [{"name": "cat"}]}},)"
      R"( "items": [{"id": "x/a", "annotations": [)" +
          annotations + R"(], "image": {"path": "a.jpg", "size": [5, 7]}}]})"};
}

Labels create_ml(std::string text) { return {format_called("createml"), std::move(text)}; }

/// Of a picture with these regions.
Labels via(const std::string& regions) {
  return {format_called("via"), R"({"a.jpg0":{"filename":"a.jpg","size":0,"regions":[)" + regions +
                                    R"(],"file_attributes":{"caption":"1 2 3 4"}}})"};
}

/// The pixels of a mask.
bool holds(const qturn::LabelShape& shape, qturn::Position at) {
  std::int64_t rest = at.x * shape.size.height + at.y;
  for (std::size_t run = 0; run < shape.runs.size(); rest -= shape.runs[run], ++run)
    if (rest < shape.runs[run]) return run % 2 == 1;
  return false;
}

bool is_inside(const qturn::LabelShape& shape, double x, double y) {
  if (shape.kind == ShapeKind::box) {
    return shape.points[0].x < x && x < shape.points[1].x && shape.points[0].y < y &&
           y < shape.points[1].y;
  }
  bool inside = false;
  for (std::size_t i = 0; i < shape.points.size(); ++i) {
    const auto &a = shape.points[i], &b = shape.points[(i + 1) % shape.points.size()];
    if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y)) inside = !inside;
  }
  return inside;
}

/// A letter for each shape, in the middles of its pixels.
Canvas painted(const Labels& labels, Size of) {
  Canvas canvas(of);
  char letter = 'a';
  for (const qturn::LabelShape& shape : labels.shapes(of)) {
    for (std::int64_t y = 0; y < of.height; ++y)
      for (std::int64_t x = 0; x < of.width; ++x)
        if (shape.kind == ShapeKind::mask
                ? holds(shape, {x, y})
                : is_inside(shape, static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5))
          canvas.at({x, y}) = letter;
    ++letter;
  }
  return canvas;
}

const std::string hugging_face_line =
    R"({"file_name":"a.jpg", "objects": {"id": [7, 8, 9], "bbox": [[1, 0, 2, 2], [0,4,7.0,1],)"
    R"( [6.0, 0, 1, 1]], "category": ["cat", "dog", "cat"], "area": [4, 7, 1]}, "text": "1 2 3 4"})"
    "\n";

std::vector<Labels> examples() {
  return {
      hugging_face(hugging_face_line),
      hugging_face("\xef\xbb\xbf"
                   R"({"file_name": "a.jpg", "width": 7, "height": 5, "label": 3,)"
                   R"( "objects": [{"bbox": [1.5, 2, 3.25, 2], "category": 1}]})"
                   "\r\n"),
      hugging_face(R"({"bbox": [0.0, 1.0, 3.0, 2.0], "objects": null, "file_name": "a.jpg"})"),
      hugging_face_voc(
          R"({"file_name": "a.jpg", "objects": {"bbox": [[1, 0, 3, 2], [0,4,7.0,5], [6.0, 0, 7, 1]], )"
          R"("category": [1, 2, 1]}})"),
      cvat(R"(<box label="cat" source="manual" xtl="1.00" ytl="0.50" xbr="3.25" ybr="2" z_order="0">
      <attribute name="points">1,2;3,4</attribute>
    </box>
    <box label="tilted" xtl="1.5" ytl="1.5" xbr="6.5" ybr="3.5" rotation="30.0"></box>
    <box label="tilted" xtl="3" ytl="0" xbr="4" ybr="5" rotation="280.00"/>
    <polygon label="cat &amp; dog" points="0.10,0.20;6.60,1.10;4.00,4.90"></polygon>
    <ellipse label="e" cx="3.50" cy="2.00" rx="3.00" ry="1.20" rotation="340"></ellipse>
    <mask label="m" rle="1, 2, 3, 1, 1" left="1" top="2" width="4" height="2" z_order="0"/>
    <mask label="m" rle="0, 3" left="6" top="2" width="1" height="3"></mask>
    <tag label="t"></tag>)"),
      label_studio(
          R"({"original_width": 7, "original_height": 5, "image_rotation": 0, "type": "rectanglelabels",)"
          R"( "value": {"x": 14.285714285714286, "y": 20.0, "width": 28.57, "height": 39.9,)"
          R"( "rotation": 0, "rectanglelabels": ["cat"]}}, {"original_width": 7, "original_height": 5,)"
          R"( "type": "polygonlabels", "value": {"points": [[1, 2], [94.5, 20.25], [50, 99]],)"
          R"( "closed": true, "polygonlabels": ["dog"]}}, {"original_width": 7, "original_height": 5,)"
          R"( "type": "ellipselabels", "value": {"x": 50.0, "y": 40, "radiusX": 30, "radiusY": 20.5,)"
          R"( "rotation": 30, "ellipselabels": ["e"]}}, {"type": "choices", "value": {"choices": ["x"]}})"),
      label_studio(
          R"({"original_width": 7, "original_height": 5, "type": "brushlabels", "value": {"format": "rle", )"
          R"("rle": [0, 0, 0, 140, 57, 27, 254, 35, 0, 3, 34, 16, 160, 63, 240, 184, 0, 25, 16, 133, 1, 255, 133, 192, 0, 200, 132, 40, 31, 252, 136, 66, 129, 255, 200, 132, 40, 31, 252, 136, 66, 128, 255, 195, 224, 0])"
          R"(, "brushlabels": ["b"]}})"),
      datumaro(
          R"({"id": 0, "type": "bbox", "attributes": {"rotation": 0.0}, "label_id": 0, "bbox": [1.0, 2.0, 3.5,)"
          R"( 2.0]}, {"type": "polygon", "points": [0.5, 0.25, 6.75, 1, 4.0, 4.9]}, {"type": "mask", "rle": )"
          R"({"counts": ";230>", "size": [5, 7]}}, {"type": "label", "label_id": 0})"),
      create_ml(
          R"([{"image": "a.jpg", "annotations": [{"label": "cat", "coordinates": {"x": 2.5,)"
          R"( "y": 2, "width": 3, "height": 2.0}}, {"label": "dog", "coordinates": {"y": 0.50,)"
          R"( "x": 6, "height": 1, "width": 1}}]}])"),
      via(R"({"shape_attributes":{"name":"rect","x":1,"y":2,"width":4,"height":3},"region_attributes")"
          R"(:{"class":"cat"}}, {"shape_attributes":{"name":"polygon","all_points_x":[0,6.5,4],)"
          R"("all_points_y":[1.25,0,5]}},{"shape_attributes":{"name":"ellipse","cx":3.5,"cy":2,"rx":3,)"
          R"("ry":1.25,"theta":0.5},"region_attributes":{}}, {"shape_attributes":{"name":"circle",)"
          R"("cx":2,"cy":4,"r":1}},{"shape_attributes":{"name":"point","cx":0,"cy":5}})"),
  };
}

}  // namespace

TEST_CASE("Turned elements painted are the painted elements turned") {
  for (const Labels& labels : examples())
    for (const Orientation orientation : qturn::all_orientations) {
      CAPTURE(labels.text, name(orientation));
      const Labels result = labels.turned(orientation);
      CAPTURE(result.text);
      const std::string before = painted(labels, size).pixels;
      CHECK(before.find_first_not_of('.') != std::string::npos);
      CHECK(painted(result, qturn::turned_size(orientation, size)).pixels ==
            turned(painted(labels, size), orientation).pixels);
    }
}

TEST_CASE("Eight orientations and their inverses give elements back, byte for byte") {
  for (const Labels& labels : examples()) {
    const auto called = [&](const std::string& name) {
      return [&, name](const std::string& text, Orientation orientation, Size of) {
        return Labels{labels.format, text}.turned(orientation, of, name).text;
      };
    };
    check_restored(labels.text, size, called("b.png"), called("a.jpg"), true);
  }
}

TEST_CASE("The rotation of a box in CVAT's other exports is drawn as in its own file") {
  const auto expected =
      cvat(R"(<box label="a" xtl="1.5" ytl="1.5" xbr="6.5" ybr="3.5" rotation="30.0"/>)")
          .shapes(size);
  const auto of_datumaro =
      datumaro(R"({"type": "bbox", "bbox": [1.5, 1.5, 5, 2], "attributes": {"rotation": 30.0}})")
          .shapes(size);
  const std::string coco =
      R"({"id": 1, "image_id": 1, "bbox": [1.5, 1.5, 5, 2], "attributes": {"rotation": 30.0}})";
  qturn::CocoAnnotation annotation(coco, {});
  annotation.read_shapes();
  const auto of_coco = annotation.shapes({}, [](auto) { return ""; });
  const auto of_voc = qturn::voc_format.read(
      "<annotation><object><name>a</name><bndbox><xmin>2.5</xmin><ymin>2.5</ymin><xmax>6.5</xmax>"
      "<ymax>3.5</ymax></bndbox><attributes><attribute><name>rotation</name><value>30.0</value>"
      "</attribute></attributes></object></annotation>",
      {});
  REQUIRE(expected.size() == 1);
  for (const auto* shapes : {&of_datumaro, &of_coco, &of_voc.shapes}) {
    REQUIRE(shapes->size() == 1);
    CHECK(shapes->front().kind == ShapeKind::polygon);
    REQUIRE(shapes->front().points.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(shapes->front().points[i].x == expected[0].points[i].x);
      CHECK(shapes->front().points[i].y == expected[0].points[i].y);
    }
  }
}

TEST_CASE("Points and lines of CVAT go to where their picture's points go, and ids grow") {
  const Labels labels = cvat(
      R"(<polyline label="l" points="0.00,1.5;7,0"/><points label="p" points="1,2"></points>)");
  CHECK(labels.turned(Orientation::rotate90, size, "x/b & \"c\".jpg").text ==
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n"
        "  <!-- <image> -->\n  <image id=\"3\" name=\"x/b &amp; &quot;c&quot;.jpg\" width=\"5\" "
        "height=\"7\">\n<polyline label=\"l\" points=\"3.5,0.00;5,7\"/><points label=\"p\" "
        "points=\"3,1\"></points>\n  </image>\n</annotations>\n");
  const std::string image = "<image id=\"3\" name=\"x/a.jpg\" width=\"7\" height=\"5\"/>";
  const Labels images{labels.format,
                      "<annotations>\n " + image + "\n " +
                          "<image id='4' name='b.jpg'></image>\n<!-- x --> </annotations>"};
  CHECK(images.written({two_of_7x5, {}}) ==
        "<annotations>\n <image id=\"24\" name=\"x/a__identity.jpg\" width=\"7\" height=\"5\"/>\n "
        "<image id=\"29\" name=\"x/a__rotate90.jpg\" width=\"5\" height=\"7\"/>\n<!-- x --> "
        "</annotations>");
  CHECK(images.written({{}, two_of_7x5})
            .find("<annotations>\n <image id='32' name='a__identity.jpg'>") == 0);
}

TEST_CASE("What CVAT writes and cannot be turned is named with its place") {
  const std::pair<std::string, std::string> shapes[] = {
      {"<box xtl=\"1\"/>", "6:2: box has no ytl"},
      {"<box xtl=\"1\" ytl=\"2\" xbr=\"x\" ybr=\"3\"/>", "6:27: 'x' is not a number"},
      {"<polygon points=\"1,2;3\"/>", "6:22: '3' is not a point"},
      {"<polygon points=\"1,2;3,\"/>", "6:24: '' is not a number"},
      {"<polygon points=\"\"/>", "6:2: has no points"},
      {"<skeleton><points points=\"1,2\"/></skeleton>", "6:2: a skeleton cannot be turned"},
      {"<cuboid/>", "6:2: a cuboid cannot be turned"},
      {"<mask rle=\"1, 2\" left=\"1\" top=\"1\" width=\"2\" height=\"2\"/>",
       "6:12: the runs do not fill 2 x 2 pixels"},
      {"<mask rle=\"1, -3\" left=\"1\" top=\"1\" width=\"2\" height=\"2\"/>",
       "6:15: '-3' is not the length of a run"},
      {"<mask rle=\"4\" left=\"6\" top=\"1\" width=\"2\" height=\"2\"/>",
       "6:2: the mask lies outside of the picture"},
      {"<box></bx>", "6:10: is not well-formed XML"},
      {"<box", "9:1: is not well-formed XML: the text ends here, and is not complete"},
      {"</image><image name=\"\">", "6:22: name is empty"},
      {"</image><image>", "6:10: image has no name"},
      {"</image><image name=\"b\" id=\"-1\">",
       "6:29: id -1 is not a whole number from 0 to 1125899906842623"},
  };
  for (const auto& [text, problem] : shapes) {
    CAPTURE(text);
    CHECK(cvat(text).fails() == problem);
  }
  CHECK(Labels{format_called("cvat"), "<a><image/></a>"}.fails() ==
        "1:1: is not well-formed XML: the outermost element is not annotations");
}

TEST_CASE("Rotated rectangles of Label Studio turn where that is exact") {
  const auto rotated = [](int width, int height) {
    return label_studio(fmt::format(
        R"({{"original_width": {}, "original_height": {}, "value": {{"x": 40.5, "y": 30, "width": 50, )"
        R"("height": 20, "rotation": 30.5}}}})",
        width, height));
  };
  for (const Orientation orientation : qturn::all_orientations) {
    CAPTURE(name(orientation));
    const Size square = {40, 40}, wide = {50, 30};
    const Labels labels = rotated(40, 40), once = labels.turned(orientation, square, "b.jpg");
    CHECK(painted(once, square).pixels == turned(painted(labels, square), orientation).pixels);
    CHECK(once.turned(inverse(orientation), square).text == labels.text);
    const Labels other = rotated(50, 30);
    if (!qturn::keeps_percentages(orientation)) continue;
    const Size now = qturn::turned_size(orientation, wide);
    CHECK(painted(other.turned(orientation, wide), now).pixels ==
          turned(painted(other, wide), orientation).pixels);
  }
  const auto images = rotated(50, 30).images();
  CHECK(images->problem(0).empty());
  CHECK(images->percent_problem(0) ==
        "1:261: a rotated rectangle of a picture that is not square can only be turned by 180 "
        "degrees "
        "or along a diagonal");
  CHECK(rotated(40, 40).images()->percent_problem(0).empty());
}

TEST_CASE("Tasks of Label Studio get their variants' names, sizes and ids") {
  const Labels labels = label_studio(
      R"({"original_width": 7, "original_height": 5, "type": "keypointlabels", "value": {"x": 10.0, )"
      R"("y": 25, "width": 2, "keypointlabels": ["left_eye"]}})");
  CHECK(
      labels.written({{{.turn = {Orientation::rotate90, Orientation::rotate90},
                        .name = "a__rotate90.jpg",
                        .size = size}}}) ==
      R"([{"id": 29, "data": {"image": "/data/local-files/?d=x/a__rotate90.jpg", "text": "1 2 3 4"},)"
      R"( "annotations": [{"id": 45, "completed_by": {"id": 2}, "result": [)"
      R"({"original_width": 5, "original_height": 7, "type": "keypointlabels", "value": {"x": 75, )"
      R"("y": 10.0, "width": 2, "keypointlabels": ["left_eye"]}})"
      R"(], "task": 29, "prediction": {}}], "predictions": [7], "drafts": []}])"
      "\n");
  const auto images = labels.images();
  CHECK((*images)[0].file_name == "a.jpg");
  CHECK(images->sides() == std::set<std::string>{"left_eye"});
}

TEST_CASE(
    "What Label Studio, Datumaro and Create ML write and cannot be turned is named with its "
    "place") {
  const std::pair<std::string, std::string> results[] = {
      {R"({"value": {"format": "rle", "rle": [0, 1, 2]}})",
       "1:181: a brush needs the size of its picture, up to 67108864 pixels"},
      {R"({"original_width": 1, "original_height": 1, "value": {"rle": [0, 0, 0, 4, 57, 27, 254, 16]}})",
       "1:207: rle is not a brush of 1 x 1 pixels"},
      {R"({"original_width": 1, "original_height": 1, "value": {"rle": [0, 256]}})",
       "1:211: is not a byte"},
      {R"({"image_rotation": 90, "value": {}})",
       "1:165: image_rotation other than 0 cannot be turned"},
      {R"({"value": {"imageDataURL": "data:image/png;base64,"}})",
       "1:173: imageDataURL cannot be turned"},
      {R"({"value": {"points": [[1, 2], [3]]}})", "1:176: a point has 2 numbers, not 1"},
      {R"({"value": {"points": []}})", "1:167: has no points"},
      {R"({"value": {"x": 1, "y": "2", "width": 3, "height": 4}})",
       "1:170: '\"2\"' is not a number"},
      {R"({"value": {"bbox": [1, 2, 3, 4]}})",
       "1:156: value may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"(1)", "1:146: '1' is not an object"},
  };
  for (const auto& [text, problem] : results) {
    CAPTURE(text);
    CHECK(label_studio(text).fails() == problem);
  }
  const std::pair<std::string, std::string> annotations[] = {
      {R"({"type": "bbox", "bbox": [1, 2]})",
       "1:164: bbox has 2 numbers, expected x, y, width and height"},
      {R"({"type": "points", "points": [1, 2, 3]})",
       "1:168: points has 3 numbers, expected x and y of each"},
      {R"({"type": "cuboid_3d", "position": [1, 2, 3]})",
       "1:148: an annotation of the type 'cuboid_3d' cannot be turned"},
      {R"({"type": "mask", "rle": {"counts": "1", "size": [5, 7]}})",
       "1:174: counts is not a compressed mask of this size"},
      {R"({"type": "mask", "rle": {"counts": "1", "size": [7, 5]}})",
       "1:187: the mask has another size than the picture"},
  };
  for (const auto& [text, problem] : annotations) {
    CAPTURE(text);
    CHECK(datumaro(text).fails() == problem);
  }
  for (const Labels& labels : {datumaro(R"({"type": "points", "points": [1, 2, 3, 4]})"),
                               cvat("<points points=\"1,2;3,4\"/>")}) {
    const auto points = labels.images();
    CHECK(points->problem(0).empty());
    CAPTURE(labels.text, points->mirror_problem(0));
    CHECK(points->mirror_problem(0).ends_with(qturn::points_may_have_sides));
    CHECK(points->percent_problem(0).empty());
  }
  const auto& studio = format_called("labelstudio");
  CHECK(Labels{studio, R"([{"id": 1, "data": {}}])"}.fails() == "1:20: has no image");
  CHECK(Labels{studio, R"([{"data": {"a": "x.png", "b": "y.png"}}])"}.fails() ==
        "1:11: does not say which of its members is the image");
  CHECK(Labels{studio, R"([{"id": 1, "data": {"image": "1/a.png"}},
 {"id": 2, "data": {"image": "2/a.png"}}])"}
            .fails() == "2:2: names another a.png than 1:2");
  CHECK(Labels{studio, R"({"id": 1})"}.fails() ==
        "1:1: is not well-formed JSON: the array is not an array");
  CHECK(create_ml(R"([{"annotations": []}])").fails() == "1:2: has no image");
  CHECK(create_ml(R"([{"image": "a", "annotations": [{"label": "cat"}]}])").fails() ==
        "1:33: has no coordinates");
  CHECK(create_ml(R"([{"image": "a", "annotations": [], "bbox": [1, 2]}])").fails() ==
        "1:44: bbox may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(
      create_ml(
          R"([{"image": "a", "annotations": [{"coordinates": {"x": 1, "y": 1, "width": 1, "height": 1}, "tip": [1, 2]}]}])")
          .fails() ==
      "1:99: tip may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(datumaro(R"({"type": "bbox", "bbox": [1, 2, 1, 1], "attributes": {"u": 3, "v": 2}})")
            .fails() ==
        "1:206: v may hold coordinates, and cannot be turned; leave it out of the file");
}

TEST_CASE("Pictures of VIA get their files' names and sizes, also in the list of their keys") {
  const std::string image =
      R"("a.jpg214" : {"filename":"x/a.jpg","size":214,"regions":[],"file_attributes":{}})";
  const Labels one{format_called("via"), "{" + image + "}"};
  CHECK(one.fails() == "1:27: the key of this picture is a.jpg214, not its filename and its size");
  const auto named = [](std::string key, const std::string& size) {
    return "\n  \"x/" + key + size + "\": {\"filename\":\"x/" + key + "\", \"size\":" + size +
           ", \"regions\":[{\"shape_attributes\": {\"name\":\"point\",\"cx\":1,\"cy\":2}}]}";
  };
  const auto project = [](const std::string& images, const std::string& list) {
    return "{\"_via_settings\": {\"ui\": [1, 2]},\r\n\"_via_img_metadata\": {" + images +
           "\n},\"_via_image_id_list\": [" + list + "] }\n";
  };
  const Labels both{
      format_called("via"),
      project(named("a.jpg", "214") + "," + named("b.jpg", "-1"), "\"x/a.jpg214\", \"x/b.jpg-1\"")};
  const auto read = both.images();
  CHECK(read->size() == 2);
  CHECK((*read)[0].annotations == 1);
  const auto variant = [](Orientation of, const std::string& name) {
    return LabelledVariant{
        .turn = {of, Orientation::identity}, .name = name, .size = size, .bytes = 99};
  };
  CHECK(
      both.written({{variant(Orientation::identity, "c.jpg"), variant(Orientation::flop, "d.jpg")},
                    {variant(Orientation::flop, "e.jpg")}}) ==
      project(named("c.jpg", "99") + "," + named("d.jpg", "99") + "," + named("e.jpg", "-1"),
              "\"x/c.jpg99\",\"x/d.jpg99\", \"x/e.jpg-1\""));
  CHECK(both.written({{}, {}}) == project("", ""));
}

TEST_CASE("What VIA writes and cannot be turned is named with its place") {
  const auto shape = [](const std::string& text) {
    return via("{\"shape_attributes\": " + text + "}").fails();
  };
  CHECK(shape("{}") == "1:72: has no name");
  CHECK(shape(R"({"name":"cuboid"})") == "1:80: a region of the type 'cuboid' cannot be turned");
  CHECK(shape(R"({"name":"point","cx":1,"cy":"2"})") == "1:100: '\"2\"' is not a number");
  CHECK(shape(R"({"name":"polyline","all_points_x":[1,2],"all_points_y":[1]})") ==
        "1:127: has 1 numbers, all_points_x has 2");
  const auto whole = [](const std::string& text) {
    return Labels{format_called("via"), text}.fails();
  };
  CHECK(whole("[]") == "1:1: '[]' is not an object");
  CHECK(whole(R"({"a.jpg1": {"filename": "a.jpg", "size": 1, "regions": {"0": {}}}})") ==
        "1:56: '{\"0\": {}}' is not an array");
  CHECK(whole("{\n\"a.jpg1\": 1}") == "2:11: '1' is not an object");
  CHECK(whole(R"({"a.jpg1": {"filename": "a.jpg", "size": 1, "base64_img_data": "AAAA"}})") ==
        "1:64: holds a picture");
  CHECK(whole(R"({"_via_img_metadata": {}, "_via_image_id_list": ["a.jpg1"]})") ==
        "1:50: is the key of no picture");
}

TEST_CASE("A line of an image folder has its variants after it") {
  const auto text = [](const char* name, const char* box) {
    return std::string(R"({"file_name": ")") + name + R"(", "objects": {"bbox": [)" + box + "]}}";
  };
  // The end that the last line does not have comes between its copies.
  CHECK(hugging_face(text("b.jpg", "[1, 2, 3, 4]") + "\n\n" + text("c.jpg", "") + "\r\n" +
                     text("x/a.jpg", "[1, 2, 3, 2]"))
            .written({one_of_9x9, {}, two_of_7x5}) ==
        text("b__flop.jpg", "[5, 2, 3, 4]") + "\n" + text("x/a__identity.jpg", "[1, 2, 3, 2]") +
            "\n" + text("x/a__rotate90.jpg", "[1, 1, 2, 3]"));
  CHECK(hugging_face(text("a.jpg", "[1, 2, 3, 2]") + "\n").written({two_of_7x5}) ==
        text("a__identity.jpg", "[1, 2, 3, 2]") + "\n" + text("a__rotate90.jpg", "[1, 1, 2, 3]") +
            "\n");
}

TEST_CASE("What an image folder says of a picture and cannot be turned is named with its place") {
  const std::pair<std::string, std::string> lines[] = {
      {R"({"objects": {"bbox": []}})", "1:1: has no file_name"},
      {R"([1])", "1:1: '[1]' is not an object"},
      {"\n{\"file_name\": \"a\",",
       "2:19: is not well-formed JSON: syntax error while parsing object key - unexpected end of "
       "input; expected string literal"},
      {R"({"file_name": "a", "objects": {"bbox": [[1, 2, 3]]}})",
       "1:41: a box has 3 numbers, expected x, y, width and height"},
      {R"({"file_name": "a", "objects": {"bbox": [[1, 2, "x", 3]]}})",
       "1:48: '\"x\"' is not a number"},
      {R"({"file_name": "a", "objects": {"bbox": [[0.1, 0.2, 0.5, 1.0]]}})",
       "1:41: boxes are fractions of the picture, expected pixels"},
      {R"({"file_name": "a", "objects": {"bbox": [[0, 0, 0, 0]], "segmentation": [[[1, 2, 3, 4]]]}})",
       "1:72: segmentation may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "objects": {"bbox": [], "shape": [[1, 2], [3, 4]]}})",
       "1:53: shape may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "objects": {"bbox": [[0, 0, 1, 1], [0, 0, 1, 1]], "segmentation": [[], []], "area": [1, 2], "depth": [3.5, 4]}})",
       ""},
      {R"({"file_name": "a", "objects": {"bbox": [[0, 0, 1, 1], [0, 0, 1, 1]], "u": [3, 5], "v": [3.5, 4]}})",
       "1:88: v may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "bbox": [[0, 0, 1, 1], [0, 0, 1, 1]], "depth": [3.5, 4], "far": 7})",
       "1:84: far may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "bbox": [], "score": 0.5, "split": 2, "seen": "2026-11-05", "k": 7})",
       ""},
      {R"({"file_name": "a", "objects": [{"bbox": [1, 2, 3, 4], "corners": [1, 2]}]})",
       "1:66: corners may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "objects": {"bbox": [[0, 0, 9, 9]], "angle": [30.0]}})",
       "1:65: angle may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "objects": {"bbox": [[0, 0, 9, 9]]}, "rotation": 0.5})",
       "1:69: rotation may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "objects": {"bbox": [[0, 0, 9, 9]]}, "rotation": 0.0})", ""},
      {R"({"file_name": "a", "bbox": null, "keypoints": [1, 2, 3, 4]})",
       "1:47: keypoints may hold coordinates, and cannot be turned; leave it out of the file"},
      {R"({"file_name": "a", "mask_file_name": "b.png", "bbox": null})",
       "1:38: mask_file_name names another file, which would not be turned"},
      {R"({"file_name": "a", "width": 7, "height": "5", "bbox": null})",
       "1:42: '\"5\"' is not a number"},
      {"{\"file_name\": \"a\", \"width\": 7, \"height\": 5}\n{\"file_name\": \"a\", \"width\": 8, "
       "\"height\": 5}",
       "2:1: says 8 x 5, 1:1 says 7 x 5"},
  };
  for (const auto& [text, problem] : lines) {
    CAPTURE(text);
    CHECK(hugging_face(text).fails() == problem);
  }
  CHECK(hugging_face_voc(R"({"file_name": "a", "bbox": [1, 2, 3]})").fails() ==
        "1:28: a box has 3 numbers, expected x1, y1, x2 and y2");
  for (const std::string box : {"[3, 1, 2, 4]", "[3, 4, 5, 3]"})
    CHECK(hugging_face_voc(R"({"file_name": "a", "bbox": )" + box + "}").fails() ==
          "1:28: x2 or y2 of a box is less than x1 or y1, expected two corners");
  CHECK(hugging_face(std::string((8 << 20) + 1, ' ')).fails() ==
        "1:1: a line is longer than 8 MiB, the most that qturn reads at once");
}

TEST_CASE("An image folder's images say how far their boxes reach, and which classes have sides") {
  const auto images =
      hugging_face(
          R"({"file_name": "a", "objects": {"bbox": [[1, 2, 3.5, 9], [9, 0, 1, 1]], "category": ["left_eye", "nose"]}})")
          .images();
  CHECK((*images)[0].boxes_reach == Size{10, 11});
  CHECK((*images)[0].annotations == 2);
  CHECK(images->sides() == std::set<std::string>{"left_eye"});
  CHECK(images->note() == "boxes from x, y, width, height, in pixels");
  const auto corners = hugging_face_voc(R"({"file_name": "a", "bbox": [5, 2, 7, 4.5]})").images();
  CHECK((*corners)[0].boxes_reach == Size{7, 4});
  CHECK(corners->note() == "boxes from x1, y1, x2, y2, in pixels");
}

}  // namespace label_element_test
