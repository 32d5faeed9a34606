// augment with files in which one element says all of one picture: that they are found, and that
// the new one holds the elements of what was written. What all files of many pictures have in
// common is in coco_test.cpp.
#include "tests/cli/labelled.hpp"

namespace elements_test {

using namespace cli;

namespace {

const Picture& picture = labelled_picture;  // 9 x 5

struct Example {
  std::string option, name, picture, file, text, flopped;
};

const Example examples[] = {
    {"huggingface", "Hugging Face", "data/train/a.png", "data/train/metadata.jsonl",
     R"({"file_name": "a.png", "objects": {"bbox": [[1, 1, 2, 3.50]], "categories": [0]}})"
     "\n",
     R"({"file_name": "a__flop.png", "objects": {"bbox": [[6, 1, 2, 3.50]], "categories": [0]}})"
     "\n"},
    {"cvat", "CVAT", "data/images/a.png", "data/annotations.xml",
     "<annotations>\n  <image id=\"1\" name=\"a.png\" width=\"9\" height=\"5\">\n    <box "
     "label=\"cat\" xtl=\"1.00\" ytl=\"1\" xbr=\"3.00\" ybr=\"4\" rotation=\"30.0\"/>\n  "
     "</image>\n</annotations>\n",
     "<annotations>\n  <image id=\"9\" name=\"a__flop.png\" width=\"9\" height=\"5\">\n    <box "
     "label=\"cat\" xtl=\"6.00\" ytl=\"1\" xbr=\"8.00\" ybr=\"4\" rotation=\"330.0\"/>\n  "
     "</image>\n"
     "</annotations>\n"},
    {"labelstudio", "Label Studio", "data/images/a.png", "data/project-1.json",
     R"([{"id":1,"data":{"image":"\/data\/upload\/1\/a.png"},"annotations":[{"result":[{"value":{"x":)"
     R"(10.0,"y":20,"width":30,"height":40}}]}]}])",
     R"([{"id":9,"data":{"image":"/data/upload/1/a__flop.png"},"annotations":[{"result":[{"value":{"x":)"
     R"(60.0,"y":20,"width":30,"height":40}}]}]}])"},
    {"datumaro", "Datumaro", "data/images/train/a.png", "data/annotations/train.json",
     R"({"categories": {}, "items": [{"id": "a", "annotations": [{"type": "polyline", "points": [1.0, 2, )"
     R"(3.5, 4]}], "image": {"path": "a.png", "size": [5, 9]}}]})",
     R"({"categories": {}, "items": [{"id": "a__flop", "annotations": [{"type": "polyline", "points": [8.0, 2, )"
     R"(5.5, 4]}], "image": {"path": "a__flop.png", "size": [5, 9]}}]})"},
    {"createml", "Create ML", "data/a.png", "data/_annotations.createml.json",
     R"([{"image":"a.png","annotations":[{"label":"cat","coordinates":{"x":2.5,"y":2,"width":3,)"
     R"("height":2}}]}])",
     R"([{"image":"a__flop.png","annotations":[{"label":"cat","coordinates":{"x":6.5,"y":2,"width":3,)"
     R"("height":2}}]}])"},
};

void add(const Workplace& workplace, const Example& example) {
  workplace.add(example.picture, png(picture));
  workplace.add(example.file, example.text);
}

}  // namespace

TEST_CASE("A file of elements is found, and the turned one lies where it lay") {
  for (const Example& example : examples) {
    CAPTURE(example.name);
    Workplace workplace;
    add(workplace, example);
    const std::string place = example.file.substr(example.file.find('/'));
    // Each result is turned back and compared before it is in its place.
    CHECK_THAT(workplace.done(augment({"data", "--verify"})).err,
               StartsWith("qturn: " + example.name +
                          " labels of 1 of 1 picture turn with them: " + example.file));
    CHECK(workplace.content("out" + place) == example.flopped);
    workplace.done({"augment", "data", "-o", "named", "--variants", "flop", "--labels",
                    example.option + ":" + example.file});
    CHECK(workplace.content("named" + place) == example.flopped);
    workplace.done({"augment", "data", "-o", "all", "--variants", "all", "--verify"});
    workplace.done({"check", "all", "--labels", "--html", "page.html"});
    CHECK_THAT(workplace.content("page.html"), ContainsSubstring("<svg"));
    workplace.done({"flop", "data", "-o", "turned"});
    workplace.done({"flop", "data", "--in-place"});
    CHECK(workplace.content(example.file) == workplace.content("turned" + place));
    CHECK(workplace.content(example.file) != example.text);
  }
}

TEST_CASE_METHOD(Workplace, "A picture whose element cannot be turned is not written, others are") {
  for (const std::string name : {"a", "b", "c"}) add("data/" + name + ".png", png(picture));
  const std::string good = R"({"file_name": "a.png", "bbox": [1, 1, 2, 0.5]})";
  add("data/metadata.jsonl", good + R"(
{"file_name": "b.png", "bbox": [1, 1, 2, 3], "objects": {"polygon": [[1, 2, 3, 4]]}}
{"file_name": "c.png", "bbox": [5, 1, 8, 3]}
)");
  failed(augment({"data"}),
         {"qturn: data/b.png: data/metadata.jsonl:2:69: polygon may hold coordinates, and cannot "
          "be turned; leave it out of the file\n",
          "qturn: data/c.png: data/metadata.jsonl:3:1: a box goes beyond the picture, so its "
          "numbers may not be x, y, width and height in pixels; --labels huggingface:voc reads "
          "them as x1, y1, x2, y2, --labels huggingface:FILE as x, y, width and height\n"});
  CHECK(results(*this) == Names{"a__flop.png", "metadata.jsonl"});
  CHECK(content("out/metadata.jsonl") ==
        "{\"file_name\": \"a__flop.png\", \"bbox\": [6, 1, 2, 0.5]}\n");

  const Result check = failed({"check", "data", "--labels"});
  CHECK_THAT(check.out + check.err, ContainsSubstring("data/metadata.jsonl:2:69: broken: polygon"));
  CHECK_THAT(check.out + check.err, ContainsSubstring("data/metadata.jsonl:3:32: outside: a box"));

  add("data/metadata.jsonl", good + "\n{\"file_name\": \n");
  refused(augment({"data", "--overwrite"}), "data/metadata.jsonl:2:15: is not well-formed JSON");
}

TEST_CASE("Whether boxes of image folders are two corners is not guessed") {
  const auto jsonl = [](const std::string& picture, const std::string& box) {
    return "{\"file_name\": \"" + picture + "\", \"bbox\": [" + box + "]}\n";
  };
  const auto csv = [](const std::string& picture, const std::string& box) {
    return picture + ",\"{\"\"bbox\"\": [[" + box + "]]}\"\n";
  };
  const std::string either = "1, 1, 2, 3", corners = "5, 1, 8, 3", sides = "3, 1, 2, 4";
  for (const bool is_csv : {false, true}) {
    CAPTURE(is_csv);
    const std::string file = is_csv ? "data/metadata.csv" : "data/metadata.jsonl";
    const auto run = [&](const std::string& a, const std::string& b, const Words& words) {
      Workplace workplace;
      for (const std::string name : {"a", "b"})
        workplace.add("data/" + name + ".png", png(picture));
      const auto row = [&](const std::string& name, const std::string& box) {
        return is_csv ? csv(name, box) : jsonl(name, box);
      };
      workplace.add(file,
                    (is_csv ? "file_name,objects\n" : "") + row("a.png", a) + row("b.png", b));
      const Result result = workplace.qturn(augment(with({"data"}, words)));
      CHECK(workplace.exists("out") == (result.exit_code != 2));
      return result;
    };
    // One box that is beyond its picture stops the file, if all may be corners.
    const Result refused = run(either, corners, {});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err,
               ContainsSubstring(
                   "a box goes beyond the picture, so its numbers may not be x, y, width and "
                   "height in pixels; --labels huggingface:voc reads them as x1, y1, x2, y2"));
    CHECK(run(either, corners, {"--labels", "huggingface:voc"}).exit_code == 0);
    // Where another box is none by its corners, the picture alone fails.
    CHECK(run(sides, corners, {}).exit_code == 1);
    const Result proved = run(either, sides, {});
    CHECK(proved.exit_code == 0);
    CHECK(proved.err.find("assumed") == std::string::npos);
    const Result assumed = run(either, either, {});
    CHECK(assumed.exit_code == 0);
    CHECK_THAT(
        assumed.err,
        ContainsSubstring(
            "this is assumed, two corners would fit, too: --labels huggingface:voc reads those\n"));
    const Result named =
        run(either, either, {"--labels", (is_csv ? "csv:" : "huggingface:") + file});
    CHECK(named.exit_code == 0);
    CHECK(named.err.find("assumed") == std::string::npos);
  }
}

TEST_CASE_METHOD(Workplace, "The name of a picture of an image folder may be called otherwise") {
  const std::pair<std::string, std::string> names[] = {
      {R"("image_file_name": "a.png", "mask_file_name": null)",
       R"("image_file_name": "a__flop.png", "mask_file_name": null)"},
      {R"("picture_file_name": "a.png")", R"("picture_file_name": "a__flop.png")"},
      {R"("file_names": ["a.png"])", R"("file_names": ["a__flop.png"])"},
      {R"("images_file_names": [ "a.png" ])", R"("images_file_names": [ "a__flop.png" ])"}};
  add("data/a.png", png(picture));
  for (const auto& [name, flopped] : names) {
    CAPTURE(name);
    add("data/metadata.jsonl", "{" + name + R"(, "bbox": [3, 1, 2, 3]})");
    done(augment({"data", "--overwrite"}));
    CHECK(content("out/metadata.jsonl") == "{" + flopped + R"(, "bbox": [4, 1, 2, 3]})");
  }
  add("data/metadata.csv", "image_file_name,objects\na.png,\"{\"\"bbox\"\": [[3, 1, 2, 3]]}\"\n");
  fs::remove(path() / "data/metadata.jsonl");
  done(augment({"data", "--overwrite"}));
  CHECK_THAT(content("out/metadata.csv"), ContainsSubstring("a__flop.png,\"{\"\"bbox\"\": [[4, 1"));
  for (const std::string two : {R"("left_file_name": "a.png", "right_file_name": "b.png")",
                                R"("file_names": ["a.png", "b.png"])"}) {
    add("two/a.png", png(picture));
    add("two/metadata.jsonl", "{" + two + R"(, "bbox": [3, 1, 2, 3]})");
    refused({"augment", "two", "-o", "no"});
  }
}

TEST_CASE_METHOD(Workplace, "Boxes of image folders are two corners where that is said") {
  const std::string csv = R"(file_name,objects
c.png,"{""bbox"": [[)",
                    jsonl = R"({"file_name": "a.png", "bbox": )";
  add("data/a/a.png", png(picture));
  add("data/a/metadata.jsonl", jsonl + "[5, 1, 8, 4]}\n");
  add("data/c/c.png", png(picture));
  add("data/c/metadata.csv", csv + "5, 1, 8, 4]]}\"\n");
  add("data/c/labels.csv", "file_name,xmin\nc.png,1\n");
  const auto turn = [&](Words words) {
    words.insert(words.end(), {"--labels", "huggingface:voc", "--verify"});
    return qturn(augment(words));
  };
  const Result result = turn({"data"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err,
             ContainsSubstring("Hugging Face VOC labels of 1 of 2 pictures turn with them: "
                               "data/a/metadata.jsonl; boxes from x1, y1, x2, y2, in pixels\n"));
  const std::string flopped = R"({"file_name": "a__flop.png", "bbox": [1, 1, 4, 4]})";
  CHECK(content("out/a/metadata.jsonl") == flopped + "\n");
  CHECK_THAT(content("out/c/metadata.csv"),
             ContainsSubstring(R"(c__flop.png,"{""bbox"": [[1, 1, 4, 4]]}")"));

  for (const std::string part : {"0/2", "1/2"})
    CHECK(qturn({"augment", "data", "-o", "shards", "--variants", "flop", "--shard", part,
                 "--labels", "huggingface:voc"})
              .exit_code == 0);
  done({"merge", "shards"});
  for (const char* file : {"/a/metadata.jsonl", "/c/metadata.csv"})
    CHECK(content("shards" + std::string(file)) == content("out" + std::string(file)));

  done({"check", "data", "--labels", "huggingface:voc"});
  add("data/a/metadata.jsonl", jsonl + "[5, 1, 10, 4]}\n");
  const Result beyond = turn({"data", "--overwrite"});
  CHECK(beyond.exit_code == 1);
  CHECK_THAT(beyond.err, ContainsSubstring("metadata.jsonl:1:1: a box goes beyond the picture\n"));
  add("none/a.png", png(picture));
  const Result none = turn({"none"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, ContainsSubstring("no huggingface:voc labels lie beside the pictures"));
}

TEST_CASE_METHOD(Workplace,
                 "A rotated rectangle of Label Studio fails by turns that are not exact") {
  add("data/a.png", png(picture));
  add("data/x.json",
      R"([{"data": {"image": "a.png"}, "annotations": [{"result": [{"original_width": 9, )"
      R"("original_height": 5, "value": {"x": 10, "y": 20, "width": 30, "height": 40, )"
      R"("rotation": 30}}]}]}])");
  done({"augment", "data", "-o", "out", "--variants", "rotate180,transpose"});
  failed({"augment", "data", "-o", "out", "--variants", "rotate90", "--overwrite"},
         "data/x.json:1:170: a rotated rectangle of a picture");
}

}  // namespace elements_test
