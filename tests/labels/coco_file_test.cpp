#include "src/labels/many/coco_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <algorithm>

#include "tests/labels/in_parts.hpp"

namespace coco_file_test {

using Catch::Matchers::Message;
using qturn::CocoContent;
using qturn::LabelledVariant;
using qturn::Orientation;

namespace {

CocoContent content_of(std::string_view text) { return read_in_parts<qturn::CocoReader>(text); }

std::string written(std::string_view text, const std::vector<Variants>& variants) {
  return written_in_parts<qturn::CocoReader, qturn::CocoWriter>(text, variants);
}

const LabelledVariant upright = {{}, "a__identity.jpg"};
const LabelledVariant flopped = {{Orientation::flop, Orientation::flop}, "a__flop.jpg"};

}  // namespace

TEST_CASE("A COCO file gets the variants that are there, and keeps its form and all else") {
  const std::string text =
      R"({"info": {"year": 2017}, "images": [{"id": 1, "file_name": "a.jpg", "width": 7, "height": 5},)"
      R"( {"id": 2, "file_name": "b.jpg", "width": 7, "height": 5}],)"
      R"( "annotations": [{"id": 3, "image_id": 1, "bbox": [1, 2, 3, 2]},)"
      R"( {"id": 4, "image_id": 2}, {"id": 5, "image_id": 9}], "categories": [{"id": 1}]})";
  CHECK(
      written(text, {{upright, flopped}, {}, {}}) ==
      R"({"info": {"year": 2017}, "images": [{"id": 8, "file_name": "a__identity.jpg", "width": 7, "height": 5},)"
      R"( {"id": 9, "file_name": "a__flop.jpg", "width": 7, "height": 5}],)"
      R"( "annotations": [{"id": 24, "image_id": 8, "bbox": [1, 2, 3, 2]},)"
      R"( {"id": 25, "image_id": 9, "bbox": [3, 2, 3, 2]}], "categories": [{"id": 1}]})");
  CHECK(written(text, {{}, {flopped}, {}}).find("\"images\": [{\"id\": 17") != std::string::npos);
  CHECK(written(text, {{}, {}, {}}) ==
        R"({"info": {"year": 2017}, "images": [], "annotations": [], "categories": [{"id": 1}]})");

  const std::string lines =
      "{\n  \"annotations\": [\n    {\"id\": 1, \"image_id\": 1}\n  ],\n  \"images\": [\n    "
      "{\"id\":1, \"file_name\": \"a.jpg\", \"width\": 1, \"height\": 1}\n  ]\n}\n";
  CHECK(written(lines, {{upright, flopped}}) ==
        "{\n  \"annotations\": [\n    {\"id\": 8, \"image_id\": 8},\n    {\"id\": 9, \"image_id\": "
        "9}\n  ],\n  \"images\": [\n    {\"id\":8, \"file_name\": \"a__identity.jpg\", \"width\": "
        "1, \"height\": 1},\n    {\"id\":9, \"file_name\": \"a__flop.jpg\", \"width\": 1, "
        "\"height\": 1}\n  ]\n}\n");
  const std::string dense = R"({"images":[{"id":0,"file_name":"a","width":1,"height":1}],)"
                            R"("annotations":[]})";
  CHECK(written(dense, {{upright, upright}}).find("},{") != std::string::npos);
}

TEST_CASE("The first reading of a COCO file tells its images, and what of them cannot be turned") {
  // Whatever comes first: images, annotations or categories.
  const std::string images =
      R"("images": [{"id": 1, "file_name": "x/a.jpg", "width": 7, "height": 5},)"
      R"({"id": 2, "file_name": "b.jpg", "width": 5, "height": 7}])";
  const std::string annotations =
      R"("annotations": [{"id": 1, "image_id": 1, "segmentation": {"size": [5, 7], "counts": [35]}},)"
      R"({"id": 2, "image_id": 2, "segmentation": {"size": [5, 7], "counts": [35]}},)"
      R"({"id": 3, "image_id": 1, "category_id": 4, "keypoints": [1, 1, 2]},)"
      R"({"id": 4, "image_id": 3, "bbox": [1]}])";
  const std::string categories = R"("categories": [{"id": 4, "keypoints": ["nose", "tail"]}])";
  const std::string all[] = {images, annotations, categories};
  int order[] = {0, 1, 2};
  do {
    const CocoContent content =
        content_of("{" + all[order[0]] + ",\n" + all[order[1]] + ",\n" + all[order[2]] + "}");
    REQUIRE(content.size() == 3);
    const std::size_t a = content.find("1").value(), b = content.find("2").value();
    CHECK(content[a].file_name == "x/a.jpg");
    CHECK(content[a].size == qturn::Size{7, 5});
    CHECK(content[a].annotations == 2);
    CHECK(content[b].is_listed);
    CHECK_FALSE(content[content.find("3").value()].is_listed);
    CHECK(content.problem(a).empty());
    CHECK(content.mirror_problem(a).find("the category has no keypoint that is called left or "
                                         "right") != std::string::npos);
    CHECK(content.problem(b).ends_with(": the mask is 7 x 5, the image 5 x 7"));
    CHECK(content.mirror_problem(b).empty());
    CHECK(content.problem(content.find("3").value()).find("bbox has 1 numbers") !=
          std::string::npos);
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("Pairs that are given count, whatever the names of keypoints say") {
  const std::string text =
      R"({"images": [{"id": 0, "file_name": "a", "width": 9, "height": 9}], "annotations": [{"id": 0,)"
      R"( "image_id": 0, "category_id": 4, "keypoints": [1, 1, 2, 3, 3, 2, 5, 5, 2]}], "categories":)"
      R"( [{"id": 4, "keypoints": ["left_eye", "right_eye", "nose"]}]})";
  const auto content_with = [&](const std::vector<int>& pairs) {
    qturn::CocoReader reader({.keypoints = pairs});
    feed(reader, text);
    return reader.finish();
  };
  const CocoContent content = content_with({0, 2, 1});
  CHECK(content.mirror_problem(0).empty());
  CHECK(content.categories().at("4").flip == std::vector<std::size_t>{0, 2, 1});
  CHECK(content_with({3, 1, 2, 0}).mirror_problem(0).find("the given pairs name keypoint 3") !=
        std::string::npos);
}

TEST_CASE("What is wrong with a COCO file as a whole is named with its line and column") {
  const std::string image = R"({"id": 1, "file_name": "a", "width": 1, "height": 1})";
  const std::pair<std::string, std::string> broken[] = {
      {"{\"annotations\": []}", "1:1: is not a COCO file: it has no images"},
      {"{\"images\": [" + image + ",\n" + image + "], \"annotations\": []}",
       "2:1: the image at 1:13 has the same id 1"},
      {"{\"images\": [\n {\"id\": 1, \"file_name\": 3}], \"annotations\": []}",
       "2:2: has no width"},
      {"{\"images\": [],\n\"annotations\": [{\"id\": 1}]}", "2:17: has no image_id"},
      {"{\"images\": [],\n\"annotations\": [{\"id\": tru}]}",
       "2:27: is not well-formed JSON: syntax error while parsing value - invalid literal; last "
       "read: '\"id\": tru}'"},
  };
  for (const auto& [text, message] : broken) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(content_of(text), qturn::LabelError, Message(message));
  }
}

TEST_CASE("An annotation that is longer than any of a picture is refused, and is not held") {
  qturn::CocoReader reader;
  reader.take("{\"images\": [],\n\"annotations\": [{\"segmentation\": [[");
  const std::string numbers(std::size_t{9} << 20, '1');
  CHECK_THROWS_MATCHES(reader.take(numbers), qturn::LabelError,
                       Message("2:17: an element of annotations is longer than 8 MiB, the most "
                               "that qturn reads at once"));
}

}  // namespace coco_file_test
