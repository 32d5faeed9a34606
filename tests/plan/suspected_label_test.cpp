// What is taken for a label, and which pictures it is about. tests/labels/layouts.py tries whole
// data sets.
#include "src/plan/suspected_label.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "src/labels/coordinates.hpp"
#include "src/plan/label_places.hpp"

namespace suspected_label_test {

using qturn::LabelSuspicion;
using qturn::may_be_label;
using qturn::may_hold_coordinates;

namespace {

/// Of a run with these pictures, which come before or after the file.
bool is_found(const std::string& name, const std::string& head, const std::string& picture,
              bool picture_comes_first = true) {
  LabelSuspicion suspicion(picture_comes_first);
  if (picture_comes_first) suspicion.add_picture(picture);
  suspicion.add_file("d/" + name, name, head);
  if (!picture_comes_first) suspicion.add_picture(picture);
  return suspicion.found().has_value();
}

constexpr const char* box = "10 20 30 40";

}  // namespace

TEST_CASE("A text may hold coordinates if it has a key of them, or four numbers in a row") {
  for (const char* text : {"0 0.5 0.5 1 1",
                           "1,2.5;3\n4",
                           "[[1, 2], [3, 4]]",
                           "{\"person_bboxes\": []}",
                           "<bndbox>",
                           "<o xmin='1'/>",
                           "{'keypoints' : [1]}",
                           "{\"x\": 1}",
                           "xmin: 1",
                           "<polyline points=\"\"/>",
                           "{\"landmarks_2d\":[]}",
                           "\"{\"\"x\"\":1}\"",
                           "\xef\xbb\xbf[1,2,3,4]",
                           "{\"X\": 1}",
                           "{\"boundingBoxes\": {}}",
                           "{\"left\": 1, \"top\": 2}",
                           "<box top='1'/>",
                           "<Vertex X=\"1\"/>",
                           "<Coordinate X=\"1\"/>",
                           "<String HPOS=\"1\"/>",
                           "{\"answer\": \"it is at [0.1, 0.2, 0.3, 0.4]\"}",
                           "{\"answer\": \"(1,2),(3,4)\"}",
                           "{\"answer\": \"cat<loc_12><loc_30><loc_45><loc_66>\"}",
                           "{\"cam_intrinsic\": [[1]]}",
                           "0\xc2\xa0"
                           "0.5\xc2\xa0"
                           "0.5\xc2\xa0"
                           "1\xc2\xa0"
                           "1\n"})
    CHECK((may_hold_coordinates(text) ? "" : text) == std::string());
  for (const char* text :
       {"", "a photo of landmarks, a polygon: 3 points", "2 dogs", "{\"text\": \"x\"}", "x: 1",
        "{\"lens\": \"24 70 2.8 2.8\"}", "1 2 3", "0 1 0 0 1 -1", "{\"maximum_x\": 2}",
        "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}", "2026-11-05 10:12:33 1 2 3",
        "{\"box\": \"small\"}", "{\"box\": 12, \"point\": 3}",
        "{\"answer\": \"[1, 2, 3] (a, b, c, d)\"}", "the scorer, 1 of 2"})
    CHECK((may_hold_coordinates(text) ? text : "") == std::string());
  std::string embedding, landmarks;
  for (int i = 0; i < 136; ++i) {
    embedding += std::to_string(i % 2 ? 0.25 : -0.5) + " ";
    landmarks += std::to_string(10.5 + i) + " ";
  }
  CHECK_FALSE(may_hold_coordinates(embedding));
  CHECK(may_hold_coordinates(landmarks));
}

TEST_CASE("The names of columns decide where a table has any") {
  CHECK(may_be_label(".csv", "name,xmin,ymin\na,1,2\n"));
  CHECK(may_be_label(".csv", "name,nose_x,nose_y\na,1,2\n"));
  CHECK(may_be_label(".tsv", "name\tbbox\na\t1\n"));
  CHECK_FALSE(may_be_label(".csv", "name,bytes,width,height,iso\na,1,2,3,400\n"));
  CHECK(may_be_label(".csv", "a.jpg,1,2,3,4\n"));
  CHECK(may_be_label(".csv", "a.jpg,,,,,\nb.jpg,1,2,3,4,cat\n"));
  CHECK(may_be_label(".npy", std::string(8, '\0')));
  CHECK_FALSE(may_be_label(".txt", std::string("1 2 3 4\0", 8)));
  CHECK(
      may_be_label(".csv", "scorer,,me,me\nbodyparts,,nose,nose\ncoords,,x,y\nx,a.png,1.5,2.5\n"));
  CHECK(may_be_label(".csv", "image_name,BoxesString\na.jpg,no_box\n"));
  CHECK(may_be_label(".csv", "file,label\na.jpg,\"[(1,2),(3,4)]\"\n"));
}

TEST_CASE("A text in UTF-16 is looked at, and named so") {
  const std::string little(
      "\xff\xfe"
      "1\0 \0"
      "2\0 \0"
      "3\0 \0"
      "4\0",
      16),
      big("\xfe\xff"
          "\0"
          "1\0 \0"
          "2\0 \0"
          "3\0 \0"
          "4",
          16);
  for (const std::string& text : {little, big}) {
    CHECK(may_be_label(".txt", text));
    CHECK(is_found("a.txt", text, "a.png"));
    CHECK(qturn::foreign_format(".txt", text)->name == "UTF-16");
  }
  const std::string named(
      "\xff\xfe"
      "a\0.\0p\0n\0g\0,\0"
      "1\0,\0"
      "2\0,\0"
      "3\0,\0"
      "4\0",
      28);
  CHECK(is_found("boxes.csv", named, "a.png"));
}

TEST_CASE("A file is about the pictures of its stem, and about those that it names") {
  for (const bool comes_first : {true, false}) {
    CAPTURE(comes_first);
    const auto finds = [&](const char* name, const std::string& head, const char* picture) {
      return is_found(name, head, picture, comes_first);
    };
    CHECK(finds("a.txt", box, "a.png"));
    CHECK(finds("A.TXT", box, "a.png"));
    CHECK(finds("a.png.json", "[1,2,3,4]", "a.png"));
    CHECK(finds("gt_a.txt", box, "a.png"));
    CHECK(finds("a_boxes.csv", box, "a.png"));
    CHECK(finds("all.csv", "x/a.png,1,2,3,4", "a.png"));
    CHECK(finds("all.json", "{\"file\": \"C:\\\\x\\\\a b.png\", \"bbox\": []}", "a b.png"));
    CHECK(finds("all.txt", "a.png: 10 20 30 40", "a.png"));
    CHECK(finds("all.txt", "IMG_0001 10 20 30 40", "IMG_0001.jpg"));
    CHECK(finds("all.txt", "a.jpg 10 20 30 40", "a.png"));
    CHECK(finds("images.txt", "1 0.8 0.1 0.5 0.1 1.0 2.0 3.0 1 a.png\n1.5 2.5 -1\n", "a.png"));
    CHECK(finds("all.json", "{\"file\": \"./x/r_0\", \"m\": [[1, 2], [3, 4]]}", "r_0.png"));
    CHECK(finds("all.csv", "id,EncodedPixels\na.png_1,1 3 10 5\n", "a.png"));
    CHECK(finds("all.odgt", "{\"ID\": \"IMG_0001\", \"fbox\": [1, 2, 3, 4]}", "IMG_0001.jpg"));
    CHECK_FALSE(finds("all.txt", "10 20 30 40", "10.png"));
    CHECK_FALSE(finds("b.txt", box, "a.png"));
    CHECK_FALSE(finds("a.txt", "a cat", "a.png"));
    CHECK_FALSE(finds("a.mp4", box, "a.png"));
    CHECK_FALSE(finds("README.txt", "a.png 10 20 30 40", "a.png"));
    CHECK(finds("a.npy", "", "a.png"));
    CHECK_FALSE(finds("b.npy", "a.png", "a.png"));
  }
}

TEST_CASE("Of suspects that are about no picture yet, only some are held") {
  LabelSuspicion suspicion(false);
  for (int i = 0; i < 64; ++i) suspicion.add_file("d/x.txt", std::to_string(i) + ".txt", box);
  CHECK_FALSE(suspicion.found());
  suspicion.add_file("d/last.txt", "last.txt", box);
  REQUIRE(suspicion.found());
  CHECK(suspicion.found()->file == "d/last.txt");
}

TEST_CASE("A folder of labels beside pictures is known by its name") {
  using qturn::are_labels_of;
  for (const auto& [labels, pictures] : {std::pair{"labels", "cats"},
                                         {"Annotations", "JPEGImages"},
                                         {"labelTxt", "images"},
                                         {"label_2", "image_2"},
                                         {"train_labels", "train"},
                                         {"ann", "img"},
                                         {"gt", "x"}})
    CHECK(are_labels_of(labels, pictures));
  CHECK(qturn::is_label_folder("x/ground-truth"));
  for (const auto& [labels, pictures] : {std::pair{"dogs_labels", "cats"},
                                         {"label_3", "image_2"},
                                         {"dogs", "cats"},
                                         {"images", "images"}})
    CHECK_FALSE(are_labels_of(labels, pictures));
}

}  // namespace suspected_label_test
