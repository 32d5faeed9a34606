// augment with labels: which belong to which picture, where they go, and that a picture and its
// label are one outcome.
#include <fmt/format.h>
#include <sys/stat.h>

#include <span>

#include "src/labels/one/yolo.hpp"
#include "src/picture/base64.hpp"
#include "tests/cli/labelled.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace labels_test {

using namespace cli;
using qturn::Orientation;

namespace {

const Picture& picture = labelled_picture;
const std::string label = "0 0.25 0.5 0.1 0.20\n";
const std::string flopped = "0 0.75 0.5 0.1 0.20\n";
const std::string mask = cli::png(random_picture(9, 5, 1));

}  // namespace

TEST_CASE("YOLO labels turn with their pictures, and lie to them as before") {
  const Layout layouts[] = {
      {"data/a.png", "data/a.txt", "data", "a__flop.png", "a__flop.txt"},
      {"data/x/A.PNG", "data/x/a.TXT", "data", "x/A__flop.PNG", "x/A__flop.TXT"},
      {"coco/images/train/a.png", "coco/labels/train/a.txt", "coco", "images/train/a__flop.png",
       "labels/train/a__flop.txt"},
      {"coco/Images/a.png", "coco/Labels/a.txt", "coco", "Images/a__flop.png",
       "Labels/a__flop.txt"},
      {"d/images/x/images/y/a.png", "d/images/x/labels/y/a.txt", "d",
       "images/x/images/y/a__flop.png", "images/x/labels/y/a__flop.txt"},
      {"d/train/images/a.png", "d/train/labels/a.txt", "d/train", "images/a__flop.png",
       "labels/a__flop.txt"},
      // The folder images is not below the input: beside the picture.
      {"coco/images/train/a.png", "coco/labels/train/a.txt", "coco/images/train", "a__flop.png",
       "a__flop.txt"},
      {"coco/images/train/a.png", "coco/labels/train/a.txt", "coco/images", "train/a__flop.png",
       "train/a__flop.txt"},
      {"coco/images/a.png", "coco/labels/a.txt", "coco/images/a.png", "a__flop.png", "a__flop.txt"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.picture, layout.input);
    const Workplace workplace;
    CHECK_THAT(flop_layout(workplace, layout, label).err,
               ContainsSubstring("qturn: YOLO labels of 1 of 1 picture turn with them"));
    CHECK(workplace.content(fs::path("out") / layout.out_file) == flopped);
  }
}

TEST_CASE_METHOD(
    Workplace,
    "All eight variants of a picture get their label, and a picture without one gets none") {
  add("data/images/a.png", cli::png(picture));
  add("data/images/background.png", cli::png(picture));
  add("data/labels/a.txt", label);
  add("data/labels/of_no_picture.txt", "0");
  add("data/labels/classes.txt", "cat\n");
  add("data/labels.cache", "x");
  done({"augment", "data", "-o", "out"});
  Names wanted;
  for (const Orientation orientation : qturn::all_orientations) {
    const std::string variant = "__" + std::string(name(orientation));
    wanted.insert({"images/a" + variant + ".png", "images/background" + variant + ".png",
                   "labels/a" + variant + ".txt"});
    CHECK(content("out/labels/a" + variant + ".txt") == qturn::turn_yolo(label, orientation, {}));
  }
  CHECK(results(*this) == wanted);
}

TEST_CASE("Pascal VOC labels turn with their pictures, in its layout and beside them") {
  const auto voc = [](const char* name, const char* xmin, const char* xmax) {
    return fmt::format(
        "<annotation><filename>{}</filename><size><width>9</width><height>5</height></"
        "size><object><bndbox><xmin>{}</xmin><ymin>2</ymin><xmax>{}</xmax><ymax>5</ymax></bndbox></"
        "object></annotation>",
        name, xmin, xmax);
  };
  const std::string layouts[][3] = {
      {"d/JPEGImages/a.png", "d/Annotations/a.xml", "Annotations/a__flop.xml"},
      {"d/x/a.png", "d/x/A.XML", "x/a__flop.XML"},
  };
  for (const auto& [of_picture, of_label, out_label] : layouts) {
    Workplace workplace;
    workplace.add(of_picture, cli::png(picture));
    workplace.add(of_label, voc("a.png", "1", "3"));
    workplace.add("d/b.png", cli::png(picture));
    workplace.add("d/b.txt", label);
    workplace.done(augment({"d"}), "Pascal VOC labels of 1 of 2 pictures turn with them\n");
    CHECK(workplace.content("out/" + out_label) == voc("a__flop.png", "7", "9"));
    CHECK(workplace.content("out/b__flop.txt") == flopped);
  }
  Workplace workplace;
  workplace.add("d/a.png", tagged_png(picture, 6));
  workplace.add("d/a.xml", voc("a.png", "1", "3"));
  workplace.done(augment({"d", "--labels-drawn-on", "stored"}));
  workplace.failed(augment({"d", "--labels-drawn-on", "upright", "--overwrite"}),
                   "d/a.xml:1:46: says 9 x 5, the picture is 5 x 9");
}

TEST_CASE_METHOD(Workplace, "LabelMe labels turn with their pictures, and hold them again") {
  const auto labelme = [](const std::string& path, const std::string& data, const char* x) {
    return fmt::format(
        R"({{
  "shapes": [{{"label": "cat", "points": [[{}, 2]], "shape_type": "point"}}],
  "imagePath": "{}",
  "imageData": {},
  "imageHeight": 5,
  "imageWidth": 9
}})",
        x, path, data);
  };
  add("d/x/a.png", cli::png(picture));
  add("d/x/a.json", labelme("a.png", "\"iVBORw0KGgo=\"", "1.50"));
  add("d/b.png", cli::png(picture));
  add("d/b.json", labelme("b.png", "null", "9"));
  done(augment({"d"}), "LabelMe labels of 2 of 2 pictures turn with them\n");
  const std::string made = content("out/x/a__flop.png");
  const std::string data = qturn::base64(std::as_bytes(std::span(made)));
  CHECK(content("out/x/a__flop.json") == labelme("a__flop.png", '"' + data + '"', "7.50"));
  CHECK(content("out/b__flop.json") == labelme("b__flop.png", "null", "0"));

  // A label from elsewhere comes beside its picture.
  add("json/x/a.json", labelme("../../d/x/a.png", "null", "1"));
  done(augment({"d", "--overwrite", "--labels", "labelme:json"}));
  CHECK(content("out/x/a__flop.json") == labelme("a__flop.png", "null", "8"));
}

TEST_CASE_METHOD(Workplace, "Option --labels chooses: none, YOLO's alone, or a folder's") {
  add("data/x/a.png", cli::png(picture));
  add("data/x/a.txt", label);
  add("data/ground_truth/a.h5", std::string("\x89HDF\0", 5));
  add("other/x/a.txt", "5 0.5 0.5 1 1\n");
  CHECK(refused(augment({"data"})).err ==
        "qturn: data/ground_truth/a.h5: has the name of a picture, and is not a text; --others "
        "leave turns the pictures without such files, --others copy copies them as they are, "
        "--exclude '*.h5' leaves them out\n");
  const auto with = [&](const std::string& labels) {
    fs::remove_all(path() / "out");
    done(augment({"data", "--labels", labels, "--others", "leave"}));
    return tree("out").size() == 3 ? content("out/x/a__flop.txt") : "";
  };
  CHECK(with("yolo") == flopped);
  CHECK(with("yolo:other") == "5 0.5 0.5 1 1\n");
  CHECK(with("none") == "");
  CHECK_THAT(refused(augment({"data", "--labels", "yolo:data/x"})).err,
             StartsWith("qturn: no YOLO label belongs to a picture"));
}

TEST_CASE("A label that is not clear is refused before the start") {
  const auto refused = [](const std::vector<std::pair<std::string, std::string>>& files,
                          const Words& words = {"augment", "d", "-o", "out"}) {
    Workplace workplace;
    for (const auto& [file, content] : files)
      workplace.add(file, content == "picture" ? cli::png(picture) : content);
    return workplace.refused(words).err;
  };
  const auto unknown = [](const std::string& file) {
    return "qturn: " + file +
           ": has the name of a picture, and 2 numbers: l, t; --others leave turns the pictures "
           "without such files, --others copy copies them as they are, --exclude '*" +
           fs::path(file).extension().string() + "' leaves them out\n";
  };
  CHECK(
      refused(
          {{"d/images/a.png", "picture"}, {"d/images/a.txt", label}, {"d/labels/a.txt", label}}) ==
      "qturn: d/images/a.png has two labels, d/images/a.txt and d/labels/a.txt; --labels yolo "
      "chooses those of one format, and --labels yolo:DIR those below one folder\n");
  CHECK_THAT(refused({{"d/a.png", "picture"},
                      {"d/a.txt", label},
                      {"d/a.json", R"({"shapes": [], "imagePath": "a.png"})"}}),
             StartsWith("qturn: d/a.png has two labels, d/a.txt and d/a.json; --labels labelme "));
  CHECK(refused({{"d/a.png", "picture"}, {"d/a.txt", "l: 12\nt: 3\n"}}) == unknown("d/a.txt"));
  CHECK(refused({{"d/a.png", "picture"}, {"d/a.xml", "<box l='12' t='3'/>"}}) ==
        unknown("d/a.xml"));
  CHECK(refused({{"d/a.png", "picture"}, {"d/a.json", "{\"l\": 12, \"t\": 3}"}}) ==
        unknown("d/a.json"));
  CHECK_THAT(
      refused({{"d/images/t/a.png", "picture"}, {"d/labels/t/a.txt", label}},
              {"augment", "d/images/t", "-o", "d/images/t8"}),
      StartsWith("qturn: the label of d/images/t/a.png would go outside of the output d/images/t8; "
                 "name an output outside of such a folder, or as the input the folder "));
  CHECK_THAT(refused({{"d/a.png", "picture"}, {"d/a.bmp", "picture"}, {"d/a.txt", label}}),
             ContainsSubstring("d/a.txt belongs to d/a.bmp and to d/a.png, and would be written to "
                               "out/a__identity.txt for both"));
  CHECK_THAT(refused({{"d/a.png", "picture"},
                      {"d/a.txt", label},
                      {"d/one.yaml", "kpt_shape: [2, 3]"},
                      {"d/two.yaml", "kpt_shape: [3, 3]"}}),
             ContainsSubstring("two.yaml disagree about keypoints; give --keypoints"));
  CHECK_THAT(refused({{"d/a.png", "picture"}, {"d/a.txt", label}, {"d/d.yml", "kpt_shape: 2"}}),
             ContainsSubstring("d.yml:1:12: expected a list, such as [17, 3]; give --keypoints "));
}

TEST_CASE_METHOD(Workplace, "Without labels no YAML file is read") {
  add("data/a.png", cli::png(picture));
  add("data/data.yaml", "kpt_shape: 2");
  done(augment({"data"}));
}

TEST_CASE_METHOD(Workplace,
                 "Polygons and keypoints need the data set's YAML file, or --keypoints") {
  const std::string polygon = "0 0.1 0.2 0.3 0.4 0.5 0.6\n";
  add("data/train/images/a.png", cli::png(picture));
  add("data/train/labels/a.txt", polygon);
  failed(augment({"data/train"}),
         "qturn: data/train/images/a.png: data/train/labels/a.txt:1:1: more than 6 columns can be "
         "a polygon or a box");
  const auto turned = [&](Words words) {
    fs::remove_all(path() / "out");
    words.insert(words.begin(), "data/train");
    done(augment(words));
    return content("out/labels/a__flop.txt");
  };
  const std::string as_polygon = "0 0.9 0.2 0.7 0.4 0.5 0.6\n";
  CHECK(turned({"--keypoints", "none"}) == as_polygon);
  add("data/data.yaml", "train: train/images\nnames: [a]\n");
  CHECK(turned({}) == as_polygon);
  add("data/data.yaml", "kpt_shape: [1, 2]\nflip_idx: [0]\n");
  CHECK(turned({}) == "0 0.9 0.2 0.3 0.4 0.5 0.6\n");
}

TEST_CASE_METHOD(Workplace, "Option --swap-pairs says which keypoints change places in a mirror") {
  add("data/a.png", cli::png(picture));
  add("data/a.txt", "0 0.5 0.5 0.2 0.4 0.4 0.3 0.60 0.3 0.1 0.3\n");
  add("pairs.txt", "0 1 # eyes\n");
  const Words words = {"data", "--keypoints", "3x2", "--swap-pairs", "pairs.txt"};
  failed(augment({words.begin(), words.begin() + 3}),
         "; say with --swap-pairs which keypoints a mirror swaps");
  fs::remove_all(path() / "out");
  done(augment(words));
  CHECK(content("out/a__flop.txt") == "0 0.5 0.5 0.2 0.4 0.40 0.3 0.6 0.3 0.9 0.3\n");

  fs::remove_all(path() / "out");
  const auto reason = [&](const std::string& pairs) {
    add("pairs.txt", pairs);
    return refused(augment(words)).err;
  };
  CHECK(reason("0 3") == "qturn: pairs.txt names keypoint 3, and objects have 0 to 2\n");
  CHECK(reason("0") ==
        "qturn: pairs.txt:1:1: expected two keypoints, such as 1 2, or classes, such as left: "
        "right\n");
  add("pairs.txt", "0 1");
  refused(augment({"data", "--swap-pairs", "pairs.txt"}),
          "are keypoints, and no YAML file says that labels have any; give their number as in "
          "--keypoints 17x3");
  fs::remove(path() / "pairs.txt");
  CHECK(refused(augment(words)).err ==
        "qturn: pairs.txt cannot be read: No such file or directory\n");
}

TEST_CASE_METHOD(Workplace, "A sample whose label is broken is not written, the others are") {
  for (const std::string stem : {"a", "b", "c"}) add("data/" + stem + ".png", cli::png(picture));
  add("data/a.txt", label);
  add("data/b.txt", label + "1 0.5\n");
  add("data/c.txt", label);
  add("data/0.png", cli::png(picture));
  add("data/0.txt", label);  // the first, which is looked at before the run
  REQUIRE(::chmod((path() / "data/0.txt").c_str(), 0) == 0);
  const fs::path closed = path() / "data/c.txt";
  REQUIRE(::chmod(closed.c_str(), 0) == 0);
  without_privileges = true;
  failed(augment({"data"}),
         {"qturn: data/b.png: data/b.txt:2:3: the line ends after 2 of 5 columns",
          "qturn: data/c.png: data/c.txt cannot be read: Permission denied",
          "qturn: data/0.png: data/0.txt cannot be read: Permission denied"});
  CHECK(results(*this) == Names{"a__flop.png", "a__flop.txt"});
}

TEST_CASE_METHOD(
    Workplace,
    "Labels whose pictures cannot be looked for are refused with the folder that is closed") {
  add("data/images/a.png", cli::png(picture));
  add("data/other/a.png", cli::png(picture));
  add("data/labels/a.txt", label);
  REQUIRE(::chmod((path() / "data/images").c_str(), 0) == 0);
  without_privileges = true;
  const Result result = qturn({"flop", "data", "-o", "out"});
  REQUIRE(::chmod((path() / "data/images").c_str(), 0755) == 0);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, ContainsSubstring("data/labels/a.txt: looks like YOLO labels") &&
                             ContainsSubstring("cannot look into data/images: Permission denied"));
}

TEST_CASE_METHOD(Workplace, "Labels of a tagged picture need to be told what they were drawn on") {
  // Stored on its side: a viewer turns it by a quarter clockwise.
  add("data/a.png", tagged_png(picture, 6));
  add("data/a.txt", "0 0.1 0.2 0.3 0.4\n");
  add("data/b.png", cli::png(picture));
  add("data/b.txt", label);
  CHECK_THAT(refused(augment({"data"})).err,
             StartsWith("qturn: an orientation tag turns 1 of 2 pictures that have labels or "
                        "masks: data/a.png; say with --labels-drawn-on stored or upright"));
  const auto drawn_on = [&](const std::string& frame) {
    fs::remove_all(path() / "out");
    done(augment({"data", "--labels-drawn-on", frame}));
    CHECK(content("out/b__flop.txt") == flopped);
    return content("out/a__flop.txt");
  };
  CHECK(drawn_on("upright") == "0 0.9 0.2 0.3 0.4\n");
  CHECK(drawn_on("stored") == "0 0.2 0.1 0.4 0.3\n");  // rotate90 and then flop: transpose
}

TEST_CASE("Labels and masks do not follow trimmed pixels, or a turn in the tag") {
  for (const auto& [name, content] :
       {std::pair("data/a.txt", label), {"data/a_mask.png", cli::png(random_picture(33, 31, 1))}}) {
    Workplace workplace;
    workplace.add("data/a.jpg", jpeg(smooth_picture(33, 31)));
    workplace.add(name, content);
    for (const auto& [edges, says] : {std::pair{"trim", ": labels and masks cannot follow trimmed"},
                                      std::pair{"tag", ": a turn that is stored in the tag"}}) {
      workplace.failed(augment({"data", "--jpeg-edges", edges}), std::string(name) + says);
      CHECK(results(workplace).empty());
    }
  }
}

TEST_CASE(
    "An output's label or mask that exists is refused, replaced or left like the output itself") {
  for (const bool is_label : {true, false}) {
    const std::string made = is_label ? "a__flop.txt" : "a__flop_mask.png";
    CAPTURE(made);
    Workplace workplace;
    workplace.add("data/a.png", cli::png(picture));
    workplace.add(is_label ? "data/a.txt" : "data/a_mask.png", is_label ? label : mask);
    workplace.add("out/" + made, "old");
    CHECK_THAT(workplace.refused(augment({"data"})).err,
               StartsWith("qturn: out/" + made + " exists already; use --overwrite"));
    CHECK(workplace.refused(augment({"data", "--skip-existing"})).err ==
          "qturn: out/" + made +
              " exists, but not all that belongs to it; use --overwrite, or remove it\n");
    CHECK(workplace.files("out") == Names{made});

    workplace.done(augment({"data", "--overwrite"}));
    const auto before = workplace.tree("out");
    workplace.done(augment({"data", "--skip-existing"}));
    workplace.done(augment({"data", "--update"}));
    CHECK(workplace.tree("out") == before);
    if (!is_label) continue;
    CHECK(workplace.content("out/a__flop.txt") == flopped);

    // Each of the two is reason enough for an update.
    workplace.add("data/a.txt", flopped);
    fs::last_write_time(
        workplace.path() / "out/a__flop.txt",
        fs::last_write_time(workplace.path() / "data/a.txt") - std::chrono::hours(1));
    workplace.done(augment({"data", "--update"}));
    CHECK(workplace.content("out/a__flop.txt") == label);
    fs::remove(workplace.path() / "out/a__flop.txt");
    workplace.done(augment({"data", "--update"}));
    CHECK(workplace.content("out/a__flop.txt") == label);
  }
}

TEST_CASE("A resumed run finishes what failed, and does not take a half sample for a whole one") {
  struct Companion {
    std::string end, whole, broken;
    Words other_options;
  };
  for (const Companion& each : {Companion{".txt", label, label + "1 0.5\n", {"--labels", "yolo"}},
                                {"_mask.png", mask, "not a picture", {"--masks", "none"}}}) {
    CAPTURE(each.end);
    Workplace workplace;
    for (const std::string stem : {"a", "b"}) {
      workplace.add("data/" + stem + ".png", cli::png(picture));
      workplace.add("data/" + stem + each.end, stem == "a" ? each.whole : each.broken);
    }
    workplace.failed(augment({"data"}));
    workplace.refused(with(augment({"data", "--resume"}), each.other_options));
    workplace.add("data/b" + each.end, each.whole);
    fs::remove(workplace.path() / ("out/a__flop" + each.end));
    workplace.failed(augment({"data", "--resume"}),
                     "of out/a__flop.png and out/a__flop" + each.end +
                         " the interrupted run has written one, and the other is missing");
    workplace.done(augment({"data", "--resume", "--overwrite"}));
    CHECK(results(workplace) ==
          Names{"a__flop.png", "a__flop" + each.end, "b__flop.png", "b__flop" + each.end});
    if (each.end == ".txt") CHECK(workplace.content("out/b__flop.txt") == flopped);
  }
}

TEST_CASE_METHOD(Workplace,
                 "Classes that are left or right are named once, where pictures are mirrored") {
  add("yolo/data.yaml", "train: images\nnames: [turn_left, bright, right_hand]\n");
  add("words/labels/classes.txt", "cat\r\nturn_left\r\nright_hand\r\n");
  for (const char* name : {"a", "b"}) {
    for (const fs::path folder : {"yolo", "words"}) {
      add(folder / "images" / (std::string(name) + ".png"), cli::png(picture));
      add(folder / "labels" / (std::string(name) + ".txt"), "0 0.25 0.5 0.1 0.20\n");
    }
    add(std::string("voc/") + name + ".png", cli::png(picture));
    std::string objects;
    for (const char* side : {"turn_left", "right_hand"})
      objects += fmt::format(
          "<object><name>{}</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</"
          "ymax></bndbox></object>",
          side);
    add(std::string("voc/") + name + ".xml", "<annotation>" + objects + "</annotation>\n");
  }
  add("coco/a.png", cli::png(picture));
  add("coco/x.json", R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],)"
                     R"("annotations": [], "categories": [{"id": 1, "name": "right_hand"},)"
                     R"({"id": 2, "name": "turn_left"}]})");
  add("rows/a.png", cli::png(picture));
  add("rows/x.csv",
      "filename,class,xmin,ymin,xmax,ymax\na.png,turn_left,1,1,4,3\n"
      "a.png,right_hand,1,1,4,3\n");
  const std::string warning =
      "warning: a mirror swaps left and right, but these label classes keep their names: ";
  for (const std::string data : {"yolo", "words", "coco", "rows", "voc"}) {
    CAPTURE(data);
    const Result result = qturn({"augment", data, "-o", "out/" + data});
    INFO(result.err);
    const std::size_t at = result.err.find(warning);
    REQUIRE(at != std::string::npos);
    CHECK(result.err.find(warning, at + 1) == std::string::npos);
    const std::string line = result.err.substr(at, result.err.find('\n', at) - at);
    CHECK_THAT(line, ContainsSubstring("right_hand") && ContainsSubstring("turn_left") &&
                         !ContainsSubstring("bright"));
    CHECK_THAT(qturn({"cw", data, "-o", "turned/" + data}).err,
               !ContainsSubstring("swaps left and right"));
  }
}

TEST_CASE_METHOD(Workplace, "Classes that are paired change places in a mirror, in every format") {
  struct Format {
    std::string file, before, after;  // the class stands between
    std::string left = "left <hand", right = "right <hand";
    std::string picture = "a.png";
  };
  const Format formats[] = {
      {"labels/a.txt", "# 0\n", " 0.5 0.5 0.2 0.4\n2 0.5 0.5 0.2 0.4\n", "0", "1", "images/a.png"},
      {"a.xml", "<annotation><object><name>",
       "</name><bndbox><xmin>3</xmin><ymin>2</ymin><xmax>7</xmax><ymax>4</ymax></bndbox></object></"
       "annotation>\n",
       "left &lt;hand", "right &lt;hand"},
      {"a.json", R"({"shapes": [{"label": ")",
       R"(", "points": [[2, 1], [7, 4]], "shape_type": "rectangle"}], "imagePath": "a.png"})"},
      {"labelTxt/a.txt", "2 1 7 1 7 4 2 4 ", " 0\n", "left_hand", "right_hand", "images/a.png"},
      {"x.json",
       R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],)"
       R"( "annotations": [{"id": 1, "image_id": 1, "bbox": [2, 1, 5, 3], "category_id": )",
       R"(}], "categories": [{"id": 7, "name": "left <hand"}, {"id": 4, "name": "right <hand"}]})",
       "7", "4"},
      {"x.csv", "filename,class,x,y,w,h\na.png,", ",2,1,5,3\n"},
      {"x.xml", R"(<annotations><image id="0" name="a.png" width="9" height="5"><box label=")",
       R"(" xtl="2" ytl="1" xbr="7" ybr="4"></box></image></annotations>)", "left &lt;hand",
       "right &lt;hand"},
      {"metadata.jsonl",
       R"({"file_name": "a.png", "objects": {"bbox": [[2, 1, 5, 3]], "label": [")", "\"]}}\n"},
      {"metadata.jsonl", R"({"file_name": "a.png", "bbox": [2, 1, 5, 3], "category": )", "}\n", "0",
       "1"},
      {"x.json",
       R"([{"data": {"image": "a.png"}, "annotations": [{"result": [{"value": {"x": 20,)"
       R"( "y": 20, "width": 60, "height": 60, "rectanglelabels": [")",
       R"("]}}]}]}])"},
      {"x.json", R"([{"image": "a.png", "annotations": [{"label": ")",
       R"(", "coordinates": {"x": 4.5, "y": 2.5, "width": 5, "height": 3}}]}])"},
      {"x.json", R"({"categories": {}, "items": [{"id": "a", "annotations": [{"label_id": )",
       R"(, "type": "bbox", "bbox": [2, 1, 5, 3]}], "image": {"path": "a.png"}}]})", "0", "1"},
  };
  add("pairs", "left <hand: right <hand\nleft_hand: right_hand\n");
  for (const Format& format : formats) {
    const bool is_yolo = format.file == "labels/a.txt";
    CAPTURE(format.file, format.before);
    fs::remove_all(path() / "data");
    add(fs::path("data") / format.picture, cli::png(picture));
    const auto text = [&](const std::string& name) { return format.before + name + format.after; };
    add(fs::path("data") / format.file, text(format.left));
    add("pairs", format.left == "0" && !is_yolo    ? "0: 1"
                 : format.file == "labelTxt/a.txt" ? "left_hand: right_hand"
                                                   : "left <hand: right <hand");
    if (is_yolo) add("data/data.yaml", "names: [left <hand, right <hand, cat]\n");
    const auto turned = [&](const char* operation) {
      fs::remove_all(path() / "out");
      CHECK_THAT(done({operation, "data", "-o", "out", "--swap-pairs", "pairs"}).err,
                 !ContainsSubstring("swaps left and right"));
      done({"check", "--against", "data", "out", "--swap-pairs", "pairs"});
      return content(fs::path("out") / format.file);
    };
    CHECK(turned("flop") == text(format.right));
    CHECK_THAT(turned("rotate180"),
               ContainsSubstring(format.before.substr(format.before.size() - 1) + format.left));
  }
}

TEST_CASE_METHOD(Workplace, "Pairs of classes that labels do not have are refused by name") {
  add("coco/a.png", cli::png(picture));
  add("coco/x.json", R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],)"
                     R"("annotations": [], "categories": [{"id": 1, "name": "left"}]})");
  add("rows/a.png", cli::png(picture));
  add("rows/x.csv", "filename,class,x,y,w,h\na.png,left,2,1,5,3\n");
  add("yolo/a.png", cli::png(picture));
  add("yolo/a.txt", "0 0.5 0.5 0.2 0.4\n");
  const auto reason = [&](const std::string& data, const std::string& pairs) {
    add("pairs", pairs);
    return refused({"flop", data, "-o", "out", "--swap-pairs", "pairs"}).err;
  };
  CHECK_THAT(reason("coco", "left: right"),
             ContainsSubstring("no class is called right, which changes places with left"));
  for (const char* data : {"coco", "rows"})
    CHECK_THAT(reason(data, "l: r"),
               ContainsSubstring("pairs names classes l and r, which no label has"));
  CHECK_THAT(reason("yolo", "l: r"),
             ContainsSubstring("pairs names class l, and no YAML file names those of yolo/; give "
                               "their numbers, such as 0: 1"));
  add("yolo/data.yaml", "names: [a, l]\n");
  CHECK_THAT(reason("yolo", "l: r"),
             ContainsSubstring("no class is called r, which changes places with l"));
  CHECK_THAT(reason("yolo", "x: r"),
             ContainsSubstring("pairs names class r, which yolo/ does not have"));
}

TEST_CASE_METHOD(Workplace,
                 "Classes change places in tars by number, and in shards as in one run") {
  const std::string png = cli::png(picture);
  add("pairs", "0: 1");
  add("in.tar", tests::tar({{"a.png", png}, {"a.txt", "0 0.5 0.5 0.2 0.4\n"}}));
  done({"flop", "in.tar", "-o", "out.tar", "--swap-pairs", "pairs"});
  CHECK(tests::members_of(content("out.tar")).back().second == "1 0.5 0.5 0.2 0.4\n");
  add("folder/a.png", png);
  add("folder/a.txt", "1 0.5 0.5 0.2 0.4\n");
  done({"flop", "folder", "-o", "packed.tar", "--swap-pairs", "pairs"});
  CHECK(tests::members_of(content("packed.tar")).back().second == "0 0.5 0.5 0.2 0.4\n");

  add("pairs", "left: right");
  std::string rows = "filename,class,xmin,ymin,xmax,ymax\n";
  for (const char* name : {"a", "b", "c", "d"}) {
    add(std::string("data/") + name + ".png", png);
    rows += std::string(name) + ".png,left,1,1,4,3\n";
  }
  add("data/rows.csv", rows);
  const auto run = [&](const Words& more) {
    done(with({"augment", "data", "--swap-pairs", "pairs"}, more));
  };
  run({"-o", "whole"});
  for (const char* shard : {"0/2", "1/2"}) run({"-o", "out", "--shard", shard});
  done({"merge", "out"});
  CHECK_THAT(content("out/rows.csv"), ContainsSubstring("a__flop.png,right,"));
  CHECK(content("out/rows.csv") == content("whole/rows.csv"));
}

TEST_CASE_METHOD(Workplace, "A NUL in a label does not cut the message about it") {
  add("d/a.png", cli::png(picture));
  add("d/a.json", R"({"shapes": [{"label": "x", "shape_type": "a\u0000b", "points": [[1, 1]]}],)"
                  R"( "imagePath": "a.png", "imageWidth": 9, "imageHeight": 5})");
  failed({"flop", "d", "-o", "out"}, "a shape of the type 'a\\x00b' cannot be turned");
}

TEST_CASE_METHOD(Workplace, "A picture that COCO lists twice counts once") {
  add("d/images/a.png", cli::png(picture));
  add("d/x.json", R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5},
                                 {"id": 2, "file_name": "a.png", "width": 9, "height": 5}],
                      "annotations": [], "categories": []})");
  done({"flop", "d", "-o", "coco"}, "COCO labels of 1 of 1 picture turn with them: d/x.json");
}

TEST_CASE_METHOD(Workplace,
                 "A Pascal VOC set with a box at 0 is refused as a whole, or turned as it says") {
  const auto voc = [](const char* x1, const char* x2) {
    return fmt::format(
        "<annotation><size><width>9</width><height>5</height></size><object><bndbox><xmin>{}</"
        "xmin><ymin>1</ymin><xmax>{}</xmax><ymax>5</ymax></bndbox></object></annotation>",
        x1, x2);
  };
  for (const char* name : {"a", "b", "c"})
    add(fmt::format("data/JPEGImages/{}.png", name), cli::png(picture));
  add("data/Annotations/a.xml", voc("2", "5"));
  add("data/Annotations/b.xml", voc("1", "3"));
  add("data/Annotations/c.xml", voc("0", "9"));
  for (const Words& words :
       {Words{"augment", "data", "-o", "out"}, Words{"flop", "data", "-o", "out"},
        Words{"flop", "data", "--in-place"}})
    CHECK(refused(words).err ==
          "qturn: data/Annotations/c.xml: a box begins at 0, and Pascal VOC counts pixels from 1, "
          "so all labels of this set may be others; --labels voc:0 turns a set that counts from 0, "
          "--labels voc one that counts from 1\n");
  done({"flop", "data", "-o", "zero", "--labels", "voc:0"});
  CHECK(content("zero/Annotations/a.xml") == voc("4", "7"));
  CHECK(content("zero/Annotations/c.xml") == voc("0", "9"));
  done({"check", "zero", "--labels", "voc:0"});
  failed({"check", "data", "--labels"});
  // By him who says that they count from 1, the one alone fails.
  failed({"flop", "data", "-o", "one", "--labels", "voc"});
  CHECK(content("one/Annotations/a.xml") == voc("5", "8"));
  CHECK_FALSE(exists("one/JPEGImages/c.png"));
}

TEST_CASE("What was made of a label that is not there any more does not stay beside its picture") {
  for (const char* existing : {"--update", "--overwrite", "--skip-existing"}) {
    CAPTURE(existing);
    Workplace workplace;
    for (const std::string name : {"a", "b"}) {
      workplace.add("data/images/" + name + ".png", cli::png(picture));
      workplace.add("data/labels/" + name + ".txt", label);
    }
    workplace.add("data/masks/a.png", cli::png(picture));
    workplace.done(augment({"data"}));
    fs::remove(workplace.path() / "data/labels/a.txt");
    fs::remove(workplace.path() / "data/masks/a.png");
    workplace.done(augment({"data", existing}),
                   "out/labels/a__flop.txt, out/masks/a__flop.png: removed, because what it was "
                   "made of is not there any more");
    CHECK(results(workplace) ==
          Names{"images/a__flop.png", "images/b__flop.png", "labels/b__flop.txt"});
    CHECK(workplace.content("out/manifest.jsonl").find("a__flop.txt") == std::string::npos);
    // Not what somebody has changed since.
    fs::remove(workplace.path() / "data/labels/b.txt");
    workplace.add("out/labels/b__flop.txt", "0 0.5 0.5 0.1 0.1\n");
    const Result changed = workplace.qturn(augment({"data", existing}));
    CHECK_THAT(changed.err, ContainsSubstring("out/labels/b__flop.txt: not removed"));
    CHECK(workplace.exists("out/labels/b__flop.txt"));
  }
}

TEST_CASE_METHOD(Workplace, "A trainer's cache of labels that are turned is named") {
  add("data/images/train/a.png", cli::png(picture));
  add("data/labels/train/a.txt", label);
  add("data/labels/train.cache", "pickled");
  const std::string warning =
      "warning: data/labels/train.cache may hold labels as they were before; remove it, so that "
      "the program that keeps it reads them again\n";
  CHECK(qturn(augment({"data"})).err.find("warning") == std::string::npos);
  done({"flop", "data", "--in-place"}, warning);
  done({"flop", "data/images/train/a.png", "--in-place"}, warning);
  add("out/labels/train.cache", "pickled");
  CHECK_THAT(qturn(augment({"data", "--overwrite"})).err,
             ContainsSubstring("warning: out/labels/train.cache may hold labels"));
}

TEST_CASE_METHOD(Workplace,
                 "Of a list with absolute paths, folders above the pictures do not count") {
  add("x/data/images/a.png", cli::png(picture));
  add("x/data/labels/a.txt", label);
  add("x/labels/readme.md", "of somebody else");
  add("x/labels/a.json", R"({"a.png": [1, 2, 3, 4]})");
  add("labels/a.csv", "file,bbox\na.png,\"1,2,3,4\"\n");
  add("data.yaml", "train: images\nkpt_shape: [5, 3]\n");
  add("list", (path() / "x/data/images/a.png").string() + "\n");
  done({"flop", "--files-from", "list", "--in-place"});
  CHECK(content("x/data/labels/a.txt") != label);
  done({"flop", "--files-from", "list", "--in-place"});
  CHECK(content("x/data/labels/a.txt") == label);
  add("x/data/labels.json", R"({"a.png": [1, 2, 3, 4]})");
  done({"flop", "--files-from", "list", "--in-place"});
  // In the pictures' folder and in the labels' folder it stops the run.
  for (const char* file : {"x/data/images/labels.json", "x/data/labels/all.json"}) {
    add(file, R"({"a.png": [1, 2, 3, 4]})");
    refused({"flop", "--files-from", "list", "--in-place"}, file);
    std::filesystem::remove(path() / file);
  }
}

}  // namespace labels_test
