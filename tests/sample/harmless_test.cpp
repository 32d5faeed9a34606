// What is harmless, and which pictures a file is about. tests/labels/unknown.py tries whole runs.
#include "src/sample/harmless.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace harmless_test {

using namespace qturn;

namespace {

/// Of a run with these pictures of 9 x 5. Empty if the file is harmless.
std::string why(const std::string& name, const std::string& text,
                const std::vector<std::string>& pictures = {"a.png", "IMG_0001.jpg"}) {
  PictureNames names;
  for (std::size_t i = 0; i < pictures.size(); ++i) names.add(pictures[i], i);
  if (known_kind(name) != KnownKind::none) return "";
  const auto found = suspicion_of(name, text, names.of_file(name), names, [](std::size_t) {
    return Size{9, 5};
  });
  return found ? found->why : "";
}

}  // namespace

TEST_CASE("A record that names a picture has one number at most, whatever its form") {
  CHECK(why("x.json", R"([{"image": "d/a.png", "x_min": 2, "startX": 3.5}])") ==
        "names a picture with 2 numbers: x_min, startX");
  CHECK(why("x.json", R"({"a.png": [12, 3], "IMG_0001": [4, 7, 8]})") ==
        "names 2 pictures with 3 numbers each");
  CHECK(why("x.json", R"({"image": {"path": "a.png"}, "things": [{"p": 2}, {"p": 3}]})") ==
        "names a picture with 2 numbers: p");
  CHECK(why("x.csv", "file,p,q\na.png,2,3\n") == "names a picture with 2 numbers: p, q");
  CHECK(why("x.tsv", "a.png\t2\t3\n") == "names a picture with 2 numbers");
  CHECK(why("x.csv", "file,where\na.png,1 3 10 5\n") == "names a picture with 4 numbers: where");
  CHECK(why("x.csv", "file,where\na.png,\"{\"\"u\"\":2,\"\"v\"\":3}\"\n") ==
        "names a picture with 2 numbers: u, v");
  CHECK(why("x.yaml", "- file: a.png\n  boxes:\n    - {p: 2, q: 3}\n") ==
        "names a picture with 2 numbers: p, q");
  CHECK(why("x.toml", "[[item]]\nfile = \"a.png\"\np = 2\nq = 3\n") ==
        "names a picture with 2 numbers: p, q");
  CHECK(why("x.xml", "<all><i n='a.png'><b><l>2</l><t>3</t></b></i></all>") ==
        "names a picture with 2 numbers: l, t");
  CHECK(why("x.txt", "a.png 2 3\n") == "names a picture with 2 numbers");
  CHECK(why("x.txt", "d/a.png\n1\n2 3 4 5\n") == "names a picture with 5 numbers");
  CHECK(why("x.jsonl", "{\"image\": \"a.png\", \"says\": \"a cat at [0.1, 0.2]\"}\n") ==
        "names a picture with 2 numbers: says");
  CHECK(why("x.json", R"({"images": [{"id": 7, "file": "a.png"}, {"id": 9, "file": "b.png"}],
                          "parts": [{"image_id": 7, "u": 3.5, "v": 4.5}]})") ==
        "names a picture with 2 numbers: u, v");
  CHECK(why("x.json", R"({"file": ["a.png", "IMG_0001.jpg"], "u": [12, 3], "v": [4, 9]})") != "");
}

TEST_CASE("What says no place does not count") {
  CHECK(why("x.csv", "file,class\na.png,3\nIMG_0001.jpg,7\n") == "");
  CHECK(why("x.csv", "n,file,class\n1,a.png,3\n2,IMG_0001.jpg,7\n") == "");
  CHECK(why("x.csv", "file,width,height,class\na.png,9,5,3\n") == "");
  CHECK(why("x.csv", "a.png,0,1,0,0,1\n") == "");
  CHECK(why("x.json", R"([{"image": "a.png", "id": 7, "label": 3, "score": 0.5, "k": 2}])") == "");
  CHECK(why("x.txt", "2026-11-05 10:12:33 wrote a.png in 12 ms\n") == "");
  CHECK(why("x.json", R"({"file": "a.png", "width": 640, "height": 480})") == "");
  CHECK(why("x.json", R"({"file": "a.png", "title": "10 20 30 40"})") == "");
  std::string embedding = "a.png", places = embedding;
  for (int i = 0; i < 136; ++i) {
    embedding += i % 2 ? ",0.25" : ",-0.5";
    places += "," + std::to_string(i * i) + ".5";
  }
  CHECK(why("x.csv", embedding) == "");
  CHECK(why("x.csv", places) != "");
}

TEST_CASE("A file with the stem of a picture is a record") {
  for (const char* name :
       {"a.pts", "A.PTS", "a.png.json", "gt_a.txt", "a_boxes.csv", "GT_IMG_0001.txt"})
    CHECK(why(name, "12\n20\n") == "has the name of a picture, and 2 numbers");
  CHECK(why("a_seg.npz", std::string("PK\0", 3)) == "has the name of a picture, and is not a text");
  CHECK(why("GT_IMG_0001.mat", "cat") == "has the name of a picture, and is not a text");
  CHECK(why("a.json", R"({"x": 1, "y": 2})") == "has the name of a picture, and 2 numbers: x, y");
  CHECK(why("b.txt", "1 2 3 4\n") == "");
  CHECK(why("a.txt", "a photo of 2 dogs, 3 cats") == "");
  CHECK(why("a.cls", "3") == "");
  CHECK(why("a.json", R"({"size": [9, 5], "score": 0.5})") == "");
}

TEST_CASE("A picture is named by its file name anywhere, and by its stem as a whole cell") {
  for (const char* cell :
       {"x/a.png", "./x/a", "C:\\x\\a.png", "a.png_1", "gs://b/a.jpg", "A.PNG", "IMG_0001"})
    CHECK(why("x.csv", std::string(cell) + ",2,3\n") == "names a picture with 2 numbers");
  CHECK(why("x.txt", "12 is what a 34 cell says of 56\n") == "");
  CHECK(why("x.csv", "1,2,3\n", {"1.png"}) == "");  // a number
  CHECK(why("x.csv", "000001,2,3\n", {"000001.png"}) != "");
}

TEST_CASE("A text in UTF-16 is read") {
  std::string text = "\xff\xfe";
  for (const char c : std::string("a.png,2,3\n")) text += {c, '\0'};
  CHECK(why("x.csv", text) == "names a picture with 2 numbers");
}

TEST_CASE("Kinds that are known are harmless") {
  for (const char* name : {"a.THM", "x/digikam4.db", "README.txt", "a.png.xmp", "a.CR2",
                           "d/oxts/data/a.txt", "a.zip", "a.tfw"})
    CHECK(known_kind(name) != KnownKind::none);
  CHECK(known_kind("a.png.pp3") == KnownKind::keeps_crops);
  for (const char* name : {"a.txt", "a.npz", "library.json", "a"})
    CHECK(known_kind(name) == KnownKind::none);
  CHECK(is_known_text("[{\"SourceFile\": \"a.png\", \"x\": 2}]"));
}

}  // namespace harmless_test
