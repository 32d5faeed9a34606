// Operations other than augment on data sets: labels and masks turn with their pictures, into a
// folder and in place.
#include <fmt/format.h>

#include "tests/cli/labelled.hpp"

namespace turn_labels_test {

using namespace cli;
using qturn::Orientation;

namespace {

const Picture& picture = labelled_picture;
const Picture mask = random_picture(9, 5, 1);
const std::string label = "0 0.25 0.5 0.1 0.20\n";
const std::string clockwise = "0 0.5 0.25 0.20 0.1\n";

/// A data set in the layout of Ultralytics, with a mask, and a picture without objects.
void add_data_set(const Workplace& workplace) {
  workplace.add("d/images/a.png", png(picture));
  workplace.add("d/images/b.png", png(picture));
  workplace.add("d/labels/a.txt", label);
  workplace.add("d/labels/b.txt", "");
  workplace.add("d/masks/a.png", png(mask));
  workplace.add("d/data.yaml", "path: ../d\ntrain: images\nval: images\nnames: [cat]\n");
}

void check_turned(const Workplace& workplace, const fs::path& folder) {
  const fs::path place = workplace.path() / folder;
  for (const char* each : {"a.png", "b.png"})
    CHECK(pixels_of(place / "images" / each) == cli::turned(picture, Orientation::rotate90));
  CHECK(pixels_of(place / "masks/a.png") == cli::turned(mask, Orientation::rotate90));
  CHECK(workplace.content(folder / "labels/a.txt") == clockwise);
  CHECK(workplace.content(folder / "labels/b.txt").empty());
}

std::string coco(const std::string& box, int width, int height) {
  return fmt::format(
      R"({{"images": [{{"id": 1, "file_name": "a.png", "width": {}, "height": {}}}],
"annotations": [{{"id": 2, "image_id": 1, "bbox": [{}]}}], "categories": []}})",
      width, height, box);
}

}  // namespace

TEST_CASE_METHOD(
    Workplace,
    "Every operation turns labels and masks with their pictures, and the data set's files") {
  add_data_set(*this);
  done({"cw", "d", "-o", "out"}, {"qturn: YOLO labels of 2 of 2 pictures turn with them",
                                  "qturn: masks of 1 of 2 pictures turn with them"});
  CHECK(files("out") == Names{"images/a.png", "images/b.png", "labels/a.txt", "labels/b.txt",
                              "masks/a.png", "data.yaml"});
  check_turned(*this, "out");
  CHECK(content("out/data.yaml") == "path: \ntrain: images\nval: images\nnames: [cat]\n");
  CHECK(content("d/labels/a.txt") == label);

  done({"ccw", "out", "-o", "back"});
  CHECK(content("back/labels/a.txt") == label);
}

TEST_CASE_METHOD(Workplace, "With an operation the ids of a COCO file stay") {
  add("c/train/a.png", png(picture));
  add("c/annotations/x.json", coco("1.0, 1, 3.5, 2", 9, 5));
  done({"flop", "c", "-o", "c2"});
  CHECK(content("c2/annotations/x.json") == coco("4.5, 1, 3.5, 2", 9, 5));
  fs::remove(path() / "c2/annotations/x.json");
  done({"flop", "c", "-o", "c2", "--skip-existing"});
  CHECK(content("c2/annotations/x.json") == coco("4.5, 1, 3.5, 2", 9, 5));
}

TEST_CASE_METHOD(Workplace, "In place, a label and a mask take their places with the picture") {
  add_data_set(*this);
  done({"cw", "d", "--in-place", "--backup", "kept"}, "qturn: written with them: 2 labels, 1 mask");
  check_turned(*this, "d");
  CHECK(files("d") == Names{"images/a.png", "images/b.png", "labels/a.txt", "labels/b.txt",
                            "masks/a.png", "data.yaml"});
  const fs::path run = run_in("kept");
  CHECK(content(run / "labels/a.txt") == label);
  CHECK(pixels_of(path() / run / "masks/a.png") == mask);
  CHECK(pixels_of(path() / run / "images/a.png") == picture);
}

TEST_CASE_METHOD(Workplace, "In place, labels outside of the input turn, too") {
  add_data_set(*this);
  done({"cw", "d/images", "--in-place"});
  check_turned(*this, "d");
  refused({"cw", "d/images", "--in-place", "--backup", "kept"},
          {"would lie outside of ", "; name as the input the folder that holds it and d/images/"});
  check_turned(*this, "d");
}

TEST_CASE("A picture whose label cannot be turned is not turned, and the others are") {
  for (const Words& words : {Words{"cw", "d", "--in-place"}, Words{"cw", "d", "-o", "out"}}) {
    Workplace workplace;
    add_data_set(workplace);
    workplace.add("d/labels/b.txt", label + "0 0.5 x 0.1 0.1\n");
    const std::string whole = workplace.content("d/images/b.png");
    workplace.failed(words, "d/images/b.png: d/labels/b.txt:2:7: ");
    const bool in_place = words.back() == "--in-place";
    const fs::path made = in_place ? "d" : "out";
    CHECK(workplace.content(made / "labels/a.txt") == clockwise);
    CHECK(workplace.content("d/images/b.png") == whole);
    CHECK(workplace.content("d/labels/b.txt") == label + "0 0.5 x 0.1 0.1\n");
    if (in_place) continue;
    CHECK_FALSE(workplace.exists("out/images/b.png"));
    CHECK_FALSE(workplace.exists("out/labels/b.txt"));
  }
}

TEST_CASE_METHOD(Workplace, "A picture that is left upright keeps its label, whatever that is") {
  add("d/a.png", png(picture));
  add("d/a.txt", "0 0.25 0.5 0.1\n");
  done({"upright", "d", "--in-place"});
  CHECK(content("d/a.txt") == "0 0.25 0.5 0.1\n");
  add("d/a.png", tagged_png(picture, 6));
  add("d/a.txt", label);
  failed({"upright", "d", "--in-place"}, "; say so with --labels-drawn-on stored or upright");
  done({"upright", "d", "--in-place", "--labels-drawn-on", "stored"});
  CHECK(content("d/a.txt") == clockwise);
}

TEST_CASE_METHOD(Workplace, "A turn by the tag alone is refused for a picture with labels") {
  const std::string jpeg = cli::jpeg(smooth_picture(50, 30));
  add("d/a.jpg", jpeg);
  add("d/a.txt", label);
  failed({"cw", "d", "--in-place"}, "use --jpeg-edges reencode instead of tag");
  CHECK(content("d/a.jpg") == jpeg);
  CHECK(content("d/a.txt") == label);
  done({"cw", "d", "--in-place", "--jpeg-edges", "reencode"});
  CHECK(content("d/a.txt") == clockwise);
}

TEST_CASE("What cannot be turned with its pictures is refused before anything is touched") {
  const auto refused = [](const std::vector<std::pair<std::string, std::string>>& files,
                          const Words& words) {
    Workplace workplace;
    for (const auto& [name, content] : files)
      workplace.add(name, content == "picture" ? png(picture) : content);
    const Result result = workplace.refused(words);
    return result.err;
  };
  CHECK_THAT(
      refused({{"d/a.png", "picture"}, {"d/a.bmp", "picture"}, {"d/a.txt", label}},
              {"cw", "d", "--in-place"}),
      ContainsSubstring("d/a.txt belongs to d/a.bmp and to d/a.png, and would be turned twice; "
                        "turn them one after the other, each into its own output with -o"));
  for (const Words& words : {Words{"cw", "d", "--in-place"}, Words{"cw", "d", "-o", "out"}})
    CHECK_THAT(refused({{"d/images/a.png", "picture"}, {"d/gtFine/a.json", "[12, 3]"}}, words),
               ContainsSubstring("d/gtFine/a.json: has the name of a picture, and 2 numbers"));
  CHECK_THAT(refused({{"d/images/a.png", "picture"}, {"d/masks/a.png", "picture"}},
                     {"cw", "d/images/a.png", "-o", "out.png"}),
             ContainsSubstring("would both be written to out.png; name a folder as output"));
  CHECK_THAT(refused({{"d/a.png", "picture"}, {"d/a.txt", label}},
                     {"cw", "d/a.png", "-o", "-", "--labels", "yolo"}),
             ContainsSubstring("labels and masks do not go through standard input and output"));
}

TEST_CASE("In place, what is reached through a link is turned with --follow alone") {
  const auto picture_file = png(picture), mask_file = png(mask);
  struct Linked {
    std::string file, link;
    bool has_folder;
  };
  const Linked linked[] = {{"labels/a.txt", "labels", true},
                           {"labels/a.txt", "labels/a.txt", false},
                           {"masks/a.png", "masks", true},
                           {"masks/a.png", "masks/a.png", false}};
  for (const Linked& each : linked) {
    CAPTURE(each.link);
    Workplace workplace;
    const fs::path link = workplace.path() / "A" / each.link;
    workplace.add("A/images/a.png", picture_file);
    const bool is_label = each.file.ends_with(".txt");
    const std::string stored = "store/" + fs::path(each.file).filename().string();
    workplace.add(stored, is_label ? label : mask_file);
    fs::create_directories(link.parent_path());
    fs::create_symlink(workplace.path() / (each.has_folder ? "store" : stored), link);
    const auto before = workplace.tree(".");
    for (const Words& words : {Words{"A"}, Words{"A/images"}, Words{"A/images/a.png"}}) {
      workplace.refused(with({"flop", "--in-place"}, words),
                        {"A/" + each.file + " would be turned where the link A/" + each.link +
                             " leads, for whoever else uses that, too; turn ",
                         "with -o, or turn what links lead to with --follow\n"});
    }
    workplace.done({"flop", "A", "-o", "out"});
    workplace.done({"flop", "A", "--in-place", "--follow"});
    CHECK(workplace.content(stored) == workplace.content("out/" + each.file));
  }

  // What the user has named himself, and a link that leads to the pictures, too.
  Workplace workplace;
  workplace.add("disk/images/a.png", picture_file);
  workplace.add("disk/labels/a.txt", label);
  fs::create_symlink("disk", workplace.path() / "A");
  workplace.done({"flop", "A", "--in-place"});
  fs::create_symlink("disk/labels", workplace.path() / "named");
  workplace.done({"flop", "A/images", "--in-place", "--labels", "yolo:named"});
  CHECK(workplace.content("disk/labels/a.txt") == label);
}

TEST_CASE_METHOD(Workplace,
                 "A label with other names is turned in place with --break-links alone") {
  add_data_set(*this);
  fs::create_hard_link(path() / "d/labels/a.txt", path() / "other.txt");
  refused({"cw", "d", "--in-place"}, "d/labels/a.txt has other names (hard links)");
  CHECK(content("d/labels/a.txt") == label);
  done({"cw", "d", "--in-place", "--break-links"});
  check_turned(*this, "d");
  CHECK(content("other.txt") == label);
}

TEST_CASE_METHOD(Workplace, "In place, the label of another name of a turned picture is refused") {
  add("d/a.png", png(picture));
  add("d/a.txt", label);
  add("d/b.txt", label);
  fs::create_symlink("a.png", path() / "d/b.png");
  refused(
      {"cw", "d", "--in-place", "--follow"},
      "d/b.txt would stay as it is, because d/b.png is another name of a picture that is turned");
  CHECK(content("d/a.txt") == label);
}

TEST_CASE_METHOD(
    Workplace,
    "Option --labels none leaves labels as they are, and masks are pictures like others") {
  add_data_set(*this);
  done({"cw", "d", "--in-place", "--labels", "none"},
       "1 label file does not fit its pictures any more\n");
  CHECK(content("d/labels/a.txt") == label);
  CHECK(pixels_of(path() / "d/masks/a.png") == cli::turned(mask, Orientation::rotate90));
  CHECK(pixels_of(path() / "d/images/a.png") == cli::turned(picture, Orientation::rotate90));
}

TEST_CASE_METHOD(
    Workplace,
    "A label lies beside the file that a picture is written to, and --dry-run names it") {
  add("d/a.png", png(picture));
  add("d/a.txt", label);
  const Result planned = qturn({"cw", "d/a.png", "-o", "b.png", "--dry-run"});
  CHECK_THAT(planned.out, ContainsSubstring(", with d/a.txt -> b.txt"));
  CHECK_FALSE(exists("b.txt"));
  done({"cw", "d/a.png", "-o", "b.png"});
  CHECK(content("b.txt") == clockwise);
  done({"cw", "d/a.png", "-o", "-"});
  CHECK(files("") == Names{"d/a.png", "d/a.txt", "b.png", "b.txt"});
}

TEST_CASE("Option --others copy copies what is not turned, and labels are turned") {
  for (const Words& words : {Words{"cw"}, Words{"augment", "--variants", "rotate90"}}) {
    Workplace workplace;
    add_data_set(workplace);
    workplace.add("d/labels/classes.txt", "cat\n");
    Words all = words;
    all.insert(all.end(), {"d", "-o", "out", "--others", "copy"});
    workplace.done(all);
    const std::string suffix = words.size() > 1 ? "__rotate90" : "";
    CHECK(workplace.content("out/labels/classes.txt") == "cat\n");
    CHECK(workplace.content("out/labels/a" + suffix + ".txt") == clockwise);
    CHECK(workplace.content("out/data.yaml") ==
          "path: \ntrain: images\nval: images\nnames: [cat]\n");
    CHECK(workplace.exists("out/labels/a.txt") == suffix.empty());
  }
}

TEST_CASE_METHOD(Workplace, "A resumed run in place does not turn again what is turned in part") {
  add_data_set(*this);
  add("d/labels/b.txt", "x\n");
  failed({"cw", "d", "--in-place"});
  CHECK(content("d/labels/a.txt") == clockwise);
  const std::string turned = content("d/images/a.png");
  add("d/labels/b.txt", "");

  add("d/labels/a.txt", label);
  failed(
      {"cw", "d", "--in-place", "--resume"},
      "d/images/a.png is turned and d/labels/a.txt is not; restore one of them, and resume again");
  CHECK(content("d/images/a.png") == turned);
  CHECK(content("d/labels/a.txt") == label);

  add("d/labels/a.txt", clockwise);
  done({"cw", "d", "--in-place", "--resume"});
  check_turned(*this, "d");
}

TEST_CASE_METHOD(
    Workplace,
    "A picture that was restored is turned again, although its empty label stays the same") {
  add_data_set(*this);
  add("d/labels/a.txt", "0 0.5 x 0.1 0.1\n");
  failed({"cw", "d", "--in-place"});
  add("d/labels/a.txt", label);
  add("d/images/b.png", png(picture));
  done({"cw", "d", "--in-place", "--resume"});
  check_turned(*this, "d");
}

}  // namespace turn_labels_test
