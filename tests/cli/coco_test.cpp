// augment with COCO files: where they are found, which pictures they are about, and that the new
// one holds what was written, no more and no less.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/labelled.hpp"

namespace coco_test {

using namespace cli;
using nlohmann::json;
using qturn::Orientation;

namespace {

const Picture& picture = labelled_picture;
std::string image(int id, const std::string& name, int width = 9, int height = 5) {
  return fmt::format(R"({{"id": {}, "file_name": "{}", "width": {}, "height": {}}})", id, name,
                     width, height);
}

std::string annotation(int id, int of_image, const std::string& members) {
  return fmt::format(R"({{"id": {}, "image_id": {}, {}}})", id, of_image, members);
}

std::string coco(const std::string& images, const std::string& annotations) {
  return "{\"images\": [" + images + "],\n\"annotations\": [" + annotations +
         "],\n\"categories\": [{\"id\": 1, \"name\": \"cat\"}]}\n";
}

const std::string box = R"("bbox": [1.0, 1, 3.5, 2])", flopped_box = R"("bbox": [4.5, 1, 3.5, 2])";
const std::string one = coco(image(1, "a.png"), annotation(2, 1, box));
const std::string one_flopped = coco(image(9, "a__flop.png"), annotation(17, 9, flopped_box));

/// The names in the images of a file.
Names names_in(const Workplace& workplace, const std::string& file) {
  Names names;
  const json made = json::parse(workplace.content(file));
  for (const json& each : made["images"]) names.insert(each["file_name"].get<std::string>());
  return names;
}

}  // namespace

TEST_CASE("A COCO file is found, and the turned one lies where it lay") {
  const Layout layouts[] = {
      {"coco/train/a.png", "coco/annotations/x.json", "coco", "train/a__flop.png",
       "annotations/x.json"},
      {"coco/images/train/a.png", "coco/Annotations/x.json", "coco", "images/train/a__flop.png",
       "Annotations/x.json"},
      {"coco/images/train/a.png", "coco/annotations/x.JSON", "coco/images", "train/a__flop.png",
       "annotations/x.JSON"},
      {"coco/images/train/a.png", "coco/annotations/x.json", "coco/images/train/", "a__flop.png",
       "annotations/x.json"},
      {"coco/train/a.png", "coco/annotations/x.json", "coco/train", "a__flop.png",
       "annotations/x.json"},
      {"data/train/a.png", "data/train/_annotations.coco.json", "data", "train/a__flop.png",
       "train/_annotations.coco.json"},
      {"data/images/a.png", "data/labels.json", "data/images", "a__flop.png", "labels.json"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.picture, layout.file, layout.input);
    const Workplace workplace;
    CHECK_THAT(
        flop_layout(workplace, layout, one).err,
        StartsWith("qturn: COCO labels of 1 of 1 picture turn with them: " + layout.file + "\n"));
    CHECK(workplace.content("out/" + layout.out_file) == one_flopped);
  }
}

TEST_CASE_METHOD(Workplace,
                 "Each COCO file holds its own pictures, and two folders may have the same names") {
  add("coco/train/a.png", png(picture));
  add("coco/train/b.png", png(picture));
  add("coco/val/a.png", png(picture));
  const std::string both = image(1, "a.png") + ", " + image(2, "b.png");
  add("coco/annotations/instances_train.json", coco(both, annotation(3, 2, box)));
  add("coco/annotations/instances_val.json", coco(image(1, "a.png"), ""));
  add("coco/annotations/captions_val.json",
      coco(image(1, "a.png"), annotation(1, 1, R"("caption": "a cat")")));
  add("coco/annotations/instances_test.json", coco(image(1, "t.png"), ""));
  done(augment({"coco"}), "instances_test.json: none of its images (1) is a picture of this run");
  CHECK(names_in(*this, "out/annotations/instances_train.json") ==
        Names{"a__flop.png", "b__flop.png"});
  CHECK(names_in(*this, "out/annotations/instances_val.json") == Names{"a__flop.png"});
  CHECK(names_in(*this, "out/annotations/captions_val.json") == Names{"a__flop.png"});
  CHECK_FALSE(exists("out/annotations/instances_test.json"));

  // A file_name may name folders.
  add("x.json", coco(image(1, "val/a.png") + image(2, "train\\\\b.png").insert(0, ", "),
                     annotation(1, 2, box)));
  fs::remove_all(path() / "out");
  done(augment({"coco", "--labels", "coco:x.json"}));
  CHECK(names_in(*this, "out/x.json") == Names{"val/a__flop.png", "train\\b__flop.png"});
  add("y.json", coco(image(1, "a.png"), ""));
  CHECK_THAT(qturn(augment({"coco", "--labels", "coco:y.json", "--overwrite"})).err,
             ContainsSubstring("y.json: its images may be those in "));
}

TEST_CASE_METHOD(Workplace, "A COCO file of a test set has images alone, and is turned") {
  add("coco/test2017/a.png", png(picture));
  add("coco/annotations/image_info_test2017.json",
      "{\"images\": [" + image(1, "a.png") + "], \"categories\": []}\n");
  add("coco/gallery.json", R"({"images": ["a.png"], "width": 3})");
  done(augment({"coco"}));
  CHECK(content("out/annotations/image_info_test2017.json") ==
        "{\"images\": [" + image(9, "a__flop.png") + "], \"categories\": []}\n");
  done({"check", "--labels", "coco"});
}

TEST_CASE_METHOD(Workplace,
                 "A COCO file of another data set beside the input does not stop the run") {
  add("data/photos/a.png", png(picture));
  add("data/other.json", coco(image(1, "b.png"), ""));
  add("data/annotations/broken.json", coco(image(1, "b.png"), "oops"));
  done(augment({"data/photos"}), "data/other.json: none of its images (1) is a picture");
  CHECK(results(*this) == Names{"a__flop.png"});
  // One that names the pictures is for them.
  add("data/annotations/broken.json", coco(image(1, "a.png"), "oops"));
  refused(augment({"data/photos", "--overwrite"}));
}

TEST_CASE_METHOD(Workplace,
                 "The COCO file in the folder of a picture describes it, whatever others name so") {
  for (const char* folder : {"train", "valid"}) {
    for (const char* name : {"a.png", "b.png"}) add(fs::path("data") / folder / name, png(picture));
    add(fs::path("data") / folder / "_annotations.coco.json",
        coco(image(1, "a.png") + ", " + image(2, "b.png"), annotation(1, 1, box)));
  }
  done(augment({"data"}));
  for (const char* folder : {"train", "valid"})
    CHECK(names_in(*this, fmt::format("out/{}/_annotations.coco.json", folder)) ==
          Names{"a__flop.png", "b__flop.png"});
  // The other folder is not in the run.
  done(augment({"data", "--include", "train/*", "--overwrite", "--exclude", "valid/*"}));
  // A file beside the input, of a data set with the same names.
  add("other.json", coco(image(7, "a.png"), annotation(1, 7, box)));
  done(augment({"data", "--overwrite"}), "other.json: none of its images (1) is a picture");
}

TEST_CASE_METHOD(
    Workplace,
    "An absolute path to a picture becomes that of the turned one, in COCO and in CSV files") {
  const std::string root = fs::canonical(path());
  add("d/images/a.png", png(picture));
  add("d/annotations/x.json", coco(image(1, root + "/d/images/a.png"), ""));
  add("d/x.csv", "filename,xmin,ymin,xmax,ymax\n" + root + "/d/images/../images/a.png,1,1,4,3\n");
  done({"augment", root + "/d", "-o", root + "/out", "--variants", "flop", "--shard", "0/1"});
  done({"merge", "out"});
  CHECK(names_in(*this, "out/annotations/x.json") == Names{root + "/out/images/a__flop.png"});
  CHECK(content("out/x.csv") ==
        "filename,xmin,ymin,xmax,ymax\n" + root + "/out/images/a__flop.png,5,1,8,3\n");
  // One that only begins with a slash is a name like others.
  add("d/annotations/x.json", coco(image(1, "/images/a.png"), ""));
  done(augment({"d", "--overwrite"}));
  CHECK(names_in(*this, "out/annotations/x.json") == Names{"/images/a__flop.png"});
}

TEST_CASE_METHOD(Workplace,
                 "A picture that is found under two names cannot be named by a COCO file") {
  add("d/x/a.png", png(picture));
  add("y.json", coco(image(1, "a.png"), ""));
  refused(augment({"d", "d/x/a.png", "--labels", "coco:y.json"}),
          "d/x/a.png is found twice, as a.png and as x/a.png, and y.json could name one of them "
          "only; name it once");
}

TEST_CASE("A COCO file without any of the pictures, or that cannot be read, is refused") {
  const std::pair<std::string, std::string> files[] = {
      {coco(image(1, "b.png"), ""), "none of the pictures is an image of data/x.json"},
      {coco(image(1, "a.png"), "{\"id\": 1,}"), "data/x.json:2:26: is not well-formed JSON"},
      {coco(image(1, "a.png") + "\n" + image(1, "b.png"), ""),
       "data/x.json:2:1: is not well-formed JSON: expected a comma or ]"},
      {coco(image(1, "a.png") + ",\n" + image(1, "b.png"), ""),
       "data/x.json:2:1: the image at 1:13 has the same id 1"},
      {coco(image(1, "a.png"), annotation(1, 1, box)).substr(0, 90), "data/x.json:2:20: "},
  };
  for (const auto& [text, why] : files) {
    Workplace workplace;
    workplace.add("data/a.png", png(picture));
    workplace.add("data/x.json", text);
    const Result result = workplace.refused(augment({"data"}));
    CHECK_THAT(result.err, StartsWith("qturn: " + why));
    CHECK(result.err.find("--labels none") == std::string::npos);
    CHECK_FALSE(workplace.exists("out"));
    workplace.done(augment({"data", "--labels", "none"}));
  }
  Workplace workplace;
  workplace.add("data/a.png", png(picture));
  CHECK_THAT(workplace.qturn(augment({"data", "--labels", "coco:none.json"})).err,
             StartsWith("qturn: cannot read none.json: No such file or directory"));
}

TEST_CASE_METHOD(
    Workplace,
    "A picture whose COCO labels cannot be turned fails by name, and is not in the new file") {
  for (const std::string name : {"a", "b", "c", "d"}) add("data/" + name + ".png", png(picture));
  const std::string points = R"("category_id": 1, "keypoints": [1, 1, 2])";
  const std::string images = image(1, "a.png") + ",\n" + image(2, "b.png", 9, 6) + ",\n" +
                             image(3, "c.png") + ",\n" + image(4, "gone.png");
  const std::string annotations = annotation(1, 1, box) + ",\n" +
                                  annotation(2, 1, R"("bbox": [1])") + ",\n" +
                                  annotation(3, 3, points) + ",\n" + annotation(4, 9, box);
  add("data/x.json", coco(images, annotations));
  const Result result = failed({"augment", "data", "-o", "out", "--variants", "flop,rotate90"});
  CHECK_THAT(result.err,
             StartsWith("qturn: COCO labels of 3 of 4 pictures turn with them: data/x.json; images "
                        "not found: 1 of 4; annotations without an image, left out: 1; images "
                        "whose labels cannot be turned in all variants: 2\n"));
  CHECK_THAT(result.err, ContainsSubstring("qturn: data/a.png: data/x.json:6:34: bbox has 1 "));
  CHECK_THAT(
      result.err,
      ContainsSubstring("qturn: data/b.png: data/x.json:2:1: says 9 x 6, the picture is 9 x 5\n"));
  CHECK_THAT(result.err,
             ContainsSubstring(
                 "qturn: data/c.png: data/x.json:7:1: category 1 does not name its keypoints"));
  CHECK(results(*this) == Names{"c__rotate90.png", "d__flop.png", "d__rotate90.png", "x.json"});
  const json made = json::parse(content("out/x.json"));
  CHECK(made["images"] == json::parse("[" + image(29, "c__rotate90.png", 5, 9) + "]"));
  CHECK(made["annotations"][0]["keypoints"] == json({3, 1, 2}));
  CHECK(made["annotations"].size() == 1);
}

TEST_CASE_METHOD(
    Workplace,
    "COCO labels of a tagged picture turn with what they were drawn on, in later runs too") {
  add("data/a.png", tagged_png(picture, 6));
  add("data/x.json", one);  // as stored
  refused(augment({"data"}), "1 of 1 picture that have labels or masks: data/a.png");

  CHECK_THAT(qturn(augment({"data", "--labels-drawn-on", "upright"})).err,
             ContainsSubstring("says 9 x 5, the picture is 5 x 9"));
  fs::remove_all(path() / "out");
  const Words stored = {"data", "--labels-drawn-on", "stored"};
  done(augment(stored));
  // rotate90 and then flop is transpose.
  const std::string transposed =
      coco(image(9, "a__flop.png", 5, 9), annotation(17, 9, R"("bbox": [1, 1.0, 2, 3.5])"));
  CHECK(content("out/x.json") == transposed);

  // The header of a picture that is left alone is read again.
  Words again = stored;
  again.emplace_back("--skip-existing");
  fs::remove(path() / "out/x.json");
  done(augment(again));
  CHECK(content("out/x.json") == transposed);
  const Result unknown = failed(augment({"data", "--skip-existing"}));
  CHECK_THAT(unknown.err, StartsWith("qturn: COCO labels"));
  CHECK_THAT(
      unknown.err,
      ContainsSubstring(
          "out/x.json is not written: data/x.json:1:13: the picture is tagged with orientation 6"));
  CHECK(content("out/x.json") == transposed);
}

TEST_CASE_METHOD(Workplace,
                 "A COCO file that exists is refused, or replaced by one with all that is there") {
  for (const std::string name : {"a", "b"}) add("data/" + name + ".png", png(picture));
  const std::string both = image(1, "a.png") + ", " + image(2, "b.png");
  add("data/x.json", coco(both, annotation(1, 1, box) + ", " + annotation(2, 2, box)));
  add("out/x.json", "old");
  refused(augment({"data"}), "out/x.json exists already; use --overwrite");
  CHECK(results(*this) == Names{"x.json"});
  done(augment({"data", "--overwrite"}));
  const std::string whole = content("out/x.json");
  CHECK(names_in(*this, "out/x.json") == Names{"a__flop.png", "b__flop.png"});
  for (const std::string option : {"--skip-existing", "--update"}) {
    fs::remove(path() / "out/a__flop.png");
    done(augment({"data", option}));
    CHECK(content("out/x.json") == whole);
  }
  fs::remove(path() / "out/x.json");
  add("elsewhere", "kept");
  fs::create_symlink("../elsewhere", path() / "out/x.json");
  CHECK_THAT(qturn(augment({"data", "--overwrite"})).err,
             ContainsSubstring("out/x.json is a symbolic link"));
  CHECK(content("elsewhere") == "kept");
}

TEST_CASE_METHOD(Workplace,
                 "An interrupted run does not replace a COCO file by a shorter one, and a resumed "
                 "one does all") {
  constexpr int pictures = 24;
  std::string images;
  for (int i = 0; i < pictures; ++i) {
    const std::string name = std::to_string(i) + ".png";
    add("data/" + name, png(random_picture(500, 400)));
    images += (i > 0 ? ", " : "") + image(i, name, 500, 400);
  }
  add("data/x.json", coco(images, ""));
  add("out/x.json", "complete");
  CHECK(signalled_at(SIGINT, ".png", {"augment", "data", "-o", "out", "--overwrite", "-j2"})
            .exit_code == 130);
  CHECK(content("out/x.json") == "complete");
  done({"augment", "data", "-o", "out", "--overwrite", "--resume"}, "done before the interruption");
  CHECK(names_in(*this, "out/x.json").size() == 8 * pictures);
}

TEST_CASE_METHOD(Workplace,
                 "Option --dry-run names the COCO file of each picture, beside its other label") {
  add("data/images/a.png", png(picture));
  add("data/labels/a.txt", "0 0.5 0.5 1 1\n");
  add("data/annotations/x.json", one);
  CHECK(
      done(augment({"data", "--dry-run"})).out ==
      "data/images/a.png -> out/images/a__flop.png (flop, re-encoded without loss, with "
      "data/labels/a.txt -> out/labels/a__flop.txt, with its labels in data/annotations/x.json)\n");
  CHECK_FALSE(exists("out"));
  done(augment({"data"}));
  CHECK(content("out/annotations/x.json") == one_flopped);
  CHECK(content("out/labels/a__flop.txt") == "0 0.5 0.5 1 1\n");
}

TEST_CASE_METHOD(
    Workplace,
    "A picture whose mask cannot be turned is not in the COCO file, and others have both") {
  const Picture mask = random_picture(9, 5, 1);
  add("d/images/a.png", png(picture));
  add("d/images/b.png", png(picture));
  add("d/masks/a.png", png(mask));
  add("d/masks/b.png", png(random_picture(8, 5, 1)));
  add("d/annotations/x.json", coco(image(1, "a.png") + ", " + image(2, "b.png"),
                                   annotation(2, 1, box) + ", " + annotation(3, 2, box)));
  failed(augment({"d"}), "qturn: d/images/b.png: d/masks/b.png");
  CHECK(results(*this) == Names{"images/a__flop.png", "masks/a__flop.png", "annotations/x.json"});
  CHECK(content("out/annotations/x.json") == one_flopped);
  CHECK(decoded(path() / "out/masks/a__flop.png").pages.front() ==
        cli::turned(mask, Orientation::flop));
}

TEST_CASE("A COCO file that is broken concerns the pictures that it alone may label") {
  const std::string whole = coco(image(1, "c.png"), annotation(2, 1, box));
  const std::string broken[] = {
      whole.substr(0, whole.find("\"bbox\"")),                   // ends within an annotation
      whole.substr(0, whole.find("\"width\"")),                  // ends within an image
      coco(image(1, "c.png"), annotation(2, 1, box) + " oops"),  // is not JSON
  };
  for (const std::string& text : broken) {
    CAPTURE(text);
    Workplace workplace;
    workplace.add("d/one/train/c.png", png(picture));
    workplace.add("d/one/train/b.png", png(picture));
    workplace.add("d/one/train/b.txt", "0 0.25 0.5 0.1 0.20\n");
    workplace.add("d/one/annotations/x.json", text);
    workplace.add("d/two/train/a.png", png(picture));
    workplace.add("d/two/annotations/x.json", one);
    workplace.failed(augment({"d"}),
                     {"qturn: d/one/train/c.png: d/one/annotations/x.json:",
                      "; pictures that it may be about, which are not written: 1 of 3"});
    CHECK(results(workplace) == Names{"one/train/b__flop.png", "one/train/b__flop.txt",
                                      "two/train/a__flop.png", "two/annotations/x.json"});
    CHECK(workplace.content("out/two/annotations/x.json") == one_flopped);

    workplace.failed({"flop", "d", "-o", "more", "--others", "copy"});
    CHECK(workplace.files("more") ==
          Names{"one/train/b.png", "one/train/b.txt", "two/train/a.png", "two/annotations/x.json"});
    CHECK_THAT(workplace.refused({"flop", "d/one", "--in-place"}).err,
               StartsWith("qturn: d/one/annotations/x.json:"));
  }
}

TEST_CASE_METHOD(Workplace, "Keypoints that change places in a mirror are named") {
  add("data/a.png", png(picture));
  add("data/x.json",
      "{\"images\": [" + image(1, "a.png") + "], \"annotations\": [" +
          annotation(2, 1, R"("category_id": 1, "keypoints": [1, 1, 2, 7, 3, 2])") +
          R"(], "categories": [{"id": 1, "name": "x", "keypoints": ["left_eye", "right_eye"]}]})");
  done(augment({"data"}),
       "data/x.json; keypoints that are called left and right change places in a mirror\n");
  const json made = json::parse(content("out/x.json"));
  CHECK(made["annotations"][0]["keypoints"] == json({1, 3, 2, 7, 1, 2}));
}

}  // namespace coco_test
