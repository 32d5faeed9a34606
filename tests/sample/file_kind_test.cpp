#include "src/sample/file_kind.hpp"

#include <catch2/catch_test_macros.hpp>

#include <span>
#include <string>
#include <string_view>

namespace file_kind_test {

using namespace qturn;

namespace {

constexpr std::string_view png = "\x89PNG\r\n\x1a\n";

KindOfFile kind(const std::string& name, std::string_view content) {
  return kind_of_file(name, std::as_bytes(std::span(content)));
}

}  // namespace

TEST_CASE("A picture is known by its suffix or by its content, a mask by its name") {
  CHECK(kind("x/a.JPG", "").kind == FileKind::picture);
  CHECK(kind("x/a.depth", png).kind == FileKind::picture);
  CHECK(kind("x/a.mask.png", "").kind == FileKind::mask);
  CHECK(kind("x/a_mask_2", png).kind == FileKind::mask);
  CHECK(kind("x/mask.png", png).kind == FileKind::picture);
  CHECK(kind("x/a.nef", "").is_picture());
}

TEST_CASE("A NumPy array is a mask of the picture of its sample") {
  CHECK(kind("x/a.NPY", "").kind == FileKind::array);
  CHECK(kind("x/a_mask", "\x93NUMPY").kind == FileKind::array);
  CHECK_FALSE(kind("x/a.npy", "").is_picture());
  CHECK(is_mask_of("x/A.npy", "x/a.jpg"));
  CHECK(is_mask_of("x/a.depth.npy", "x/a.left.jpg"));
  CHECK_FALSE(is_mask_of("x/a.npy", "y/a.jpg"));
}

TEST_CASE("A text is a label if it looks like one of its suffix, or is empty") {
  CHECK(kind("a.txt", "0 0.5 0.5 0.1 0.1\n").format == &yolo_format);
  CHECK(kind("a.XML", "<annotation/>").format == &voc_format);
  CHECK(kind("a.json", R"({"shapes": [], "imagePath": "a.jpg"})").format == &labelme_format);
  for (const char* name : {"a.txt", "a.xml", "a.json"})
    CHECK(kind(name, "").kind == FileKind::label);
  CHECK(kind("a.txt", "two dogs").kind == FileKind::other);
  CHECK(kind("a.json", R"({"boxes": 3})").format == nullptr);
  CHECK(kind("a.labels", "0 0.5 0.5 0.1 0.1\n").format == nullptr);
}

TEST_CASE("What may say where something is in a picture, and is not turned, is told from a copy") {
  CHECK(kind("a.json", R"({"bbox": [1, 2, 3, 4]})").kind == FileKind::coordinates);
  CHECK(kind("a.pts", "12 7 30 9\n").kind == FileKind::coordinates);
  CHECK(kind("a.csv", "image,year,score,rank\na,1987,12,3\n").kind == FileKind::other);
  CHECK(kind("a.cls", "3").kind == FileKind::other);
  CHECK(kind("a.mp4", std::string_view("12 7 30 9\0", 10)).kind == FileKind::other);
}

TEST_CASE("A mask is known by its name") {
  CHECK(stem_of_mask("a_mask") == "a");
  CHECK(stem_of_mask("a.b-masks") == "a.b");
  CHECK(stem_of_mask("x.mask") == "x");
  CHECK(stem_of_mask("benign (1)_mask_2") == "benign (1)");
  CHECK(stem_of_mask("a_1_mask12") == "a_1");
  for (const char* other : {"", "mask", "_mask", "mask_1", "unmask", "a_masked", "a_1", "a_mask_"})
    CHECK_FALSE(stem_of_mask(other));
}

TEST_CASE("XMP and world files are known by their names") {
  CHECK(kind("a.jpg.xmp", "").kind == FileKind::xmp);
  CHECK(kind("a.TFW", "10\n0\n0\n-10\n500000\n4000000\n").kind == FileKind::world_file);
}

TEST_CASE("A mask belongs to the picture of its name, or to a picture of the sample of its name") {
  CHECK(is_mask_of("x/a.mask.png", "x/a.jpg"));
  CHECK(is_mask_of("x/A.Mask.png", "x/a.left.jpg"));
  CHECK(is_mask_of("x/a.left_mask.png", "x/a.left.jpg"));
  CHECK(!is_mask_of("x/a.left_mask.png", "x/a.right.jpg"));
  CHECK(!is_mask_of("x/a_mask.png", "x/b.jpg"));
}

}  // namespace file_kind_test
