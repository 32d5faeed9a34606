// check --labels: each kind of finding with its place, that a data set without faults has none, and
// which frame of tagged pictures labels fit.
#include <fmt/format.h>

#include "tests/cli/labelled.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace check_labels_test {

using namespace cli;

namespace {

const Picture& picture = labelled_picture;  // 9 x 5

Words check(const Words& more) { return with({"check", "-j1"}, more); }

std::string voc(int width, int height, const std::string& objects = {}) {
  return fmt::format(
      "<annotation>\n<size><width>{}</width><height>{}</height></size>\n{}</annotation>\n", width,
      height, objects);
}

std::string voc_box(int left, int top, int right, int bottom) {
  return fmt::format(
      "<object><name>cat</name><bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</"
      "ymax></bndbox></object>\n",
      left, top, right, bottom);
}

std::string coco(const std::string& images, const std::string& annotations) {
  return "{\"images\": [\n" + images + "],\n\"annotations\": [\n" + annotations +
         "],\n\"categories\": [{\"id\": 1, \"name\": \"cat\"}]}\n";
}

const std::string image = R"({"id": 1, "file_name": "a.png", "width": 9, "height": 5})";

/// The findings in annotations of `image`, which begin in line 4.
std::string findings_of_coco(const std::string& annotations, const std::string& images = image) {
  Workplace workplace;
  workplace.add("d/a.png", png(picture));
  workplace.add("d/x.json", coco(images, annotations));
  const Result result = workplace.qturn(check({"d", "--labels"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == (result.out.empty() ? 0 : 1));
  return result.out;
}

std::string annotation(const std::string& members) {
  return R"({"id": 5, "image_id": 1, "category_id": 1, )" + members + "}";
}

}  // namespace

TEST_CASE_METHOD(Workplace, "Labels that fit their pictures are not a finding, of any format") {
  add("yolos/data.yaml", "path: .\ntrain: images\nnames: [cat, 'big, dog']\n");
  // Rounded to six decimals, the second box ends after 1.0000005.
  add("yolos/labels/a.txt", "0 .5 .5 1 1\n1 0.987654 .5 0.024693 .4\n");
  add("yolos/labels/b.txt", "");
  add("yolos/labels/classes.txt", "cat\ndog\n");
  for (const char* name : {"a", "b"}) add(fmt::format("yolos/images/{}.png", name), png(picture));
  add("vocs/JPEGImages/a.png", png(picture));
  add("vocs/Annotations/a.xml", voc(9, 5, voc_box(1, 1, 9, 5)));
  add("vocs/SegmentationClass/a.png", png(random_picture(9, 5, 1)));
  add("cocos/a.png", png(picture));
  add("cocos/x.json",
      coco(image, annotation(R"("bbox": [0, 0, 9, 5], "keypoints": [8, 4, 2, 0, 0, 0],
                                  "segmentation": [[0, 0, 9, 0, 9, 5]])")));
  add("me/a.png", png(picture));
  add("me/a.json",
      R"({"shapes": [{"label": "cat", "shape_type": "rectangle", "points": [[9, 5], [1, 1]]}],
                    "imagePath": "a.png", "imageData": null, "imageWidth": 9, "imageHeight": 5})");
  for (const char* data : {"yolos", "vocs", "cocos", "me"}) {
    CAPTURE(data);
    const auto before = tree(data);
    const Result result = done(check({"--labels", data}));
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring(" checked, nothing found\n"));
    CHECK(tree(data) == before);
  }
}

TEST_CASE_METHOD(Workplace, "Labels in a tar are checked as those of its files in a folder") {
  const auto compare = [&](const tests::Members& members) {
    std::filesystem::remove_all(path() / "d");
    for (const auto& [name, content] : members) add("d/" + name, content);
    add("t", tests::tar(members));
    const Result folder = failed(check({"--labels", "d"})), tar = failed(check({"--labels", "t"}));
    std::string expected = folder.out;
    for (std::size_t at = 0; (at = expected.find("d/", at)) != expected.npos; at += 2)
      if (at == 0 || expected[at - 1] == '\n') expected[at] = 't';
    CHECK(tar.out == expected);
    CHECK(tar.err == folder.err);
  };
  const std::string a = png(picture);
  compare({{"data.yaml", "train: images\nnames:\n  0: cat\n  1: dog\n"},
           {"images/a.png", a},
           {"images/c.png", a},
           {"labels/a.txt", "0 .5 .5 .2 .2\n1 1 .5 1 .4\n7 .1 .1 .1 .1\n"},
           {"labels/z.txt", "0 .5 .5 .2 .2\n"}});
  compare({{"x/a.png", a}, {"x/a.txt", "1 1 .5 1 .4\n"}, {"x/b.png", a}, {"x/b.txt", ""}});
  compare({{"a.png", a}, {"x.json", coco(image, annotation(R"("bbox": [0, 0, 10, 5])"))}});
  compare({{"a.mask.png", png(random_picture(8, 5, 1))}, {"a.png", a}});

  add("two.tar", content("t"));
  refused(check({"--labels", "t", "two.tar"}), "one tar");
  add("t.gz", tests::tar({{"a.png", a}}, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
  refused(check({"--labels", "t.gz"}), "not compressed");
  add("bare.tar", tests::tar({{"a.png", a}}));
  refused(check({"--labels", "bare.tar"}), "found no labels to check");
}

TEST_CASE_METHOD(Workplace,
                 "What is wrong with YOLO labels is told with line and column, in their order") {
  add("d/data.yaml", "train: images\nnames:\n  0: cat\n  1: dog\n");
  for (const char* name : {"a", "c"}) add(fmt::format("d/images/{}.png", name), png(picture));
  add("d/labels/a.txt",
      "0 .5 .5 .2 .2\n1 1 .5 1 .4\n7 .1 .1 .1 .1\n0 .5 abc .1 .1\n0 .3 .3 0 .1\n");
  add("d/labels/z.txt", "0 .5 .5 .2 .2\n");
  const Result result = failed(check({"--labels=yolo", "d"}));
  CHECK(result.out ==
        "d/labels/a.txt:2:1: outside: a box of dog lies beyond the right edge by 4.5 pixels\n"
        "d/labels/a.txt:3:1: unknown category: class 7 is not among the 2 names of the data set's "
        "YAML file\n"
        "d/labels/a.txt:4:6: broken: 'abc' is not a number\n"
        "d/labels/a.txt:5:1: degenerate: a box of cat is 0 wide and 0.5 high\n"
        "d/labels/z.txt: no picture: a label without a picture\n"
        "d/images/c.png: no label: a picture without a label\n");
  CHECK(result.err ==
        "qturn: 2 pictures checked, 0 of them with findings\n"
        "qturn: labels of 1 of 2 pictures checked:\n"
        "  broken                   1\n"
        "  outside                  1\n"
        "  degenerate               1\n"
        "  unknown category         1\n"
        "  no picture               1\n"
        "  no label                 1\n");
}

TEST_CASE_METHOD(
    Workplace,
    "Polygons without area, keypoints outside and lines that augment refuses are found") {
  add("d/a.png", png(picture));
  const auto findings = [&](const std::string& label, const std::string& keypoints) {
    add("d/a.txt", label);
    return qturn(check({"d", "--labels", "--keypoints", keypoints, "-q"})).out;
  };
  CHECK(findings("0 .1 .1 .5 .5 .9 .9\n0 0 0 2 0 0 1\n", "none") ==
        "d/a.txt:1:1: degenerate: a polygon of 0 has no area\n"
        "d/a.txt:2:1: outside: a polygon of 0 lies beyond the right edge by 9 pixels\n");
  CHECK(findings("0 .5 .5 .1 .1 .5 .5 0 3 2\n", "2x2") ==
        "d/a.txt:1:1: outside: a keypoint of 0 lies beyond the lower edge by 10 pixels\n");
  CHECK(findings("0 .5 .5 .1 .1 .5 .5 1.011 .5\n", "2x2") ==
        "d/a.txt:1:21: broken: 1.011 lies outside of -0.01 to 1.01\n");
  CHECK(findings("0 .5 .5 .1 .1 .5\n0 .5 .5\n", "2x2") ==
        "d/a.txt:1:1: broken: 6 columns; a box with 2 keypoints of 2 values has 9\n"
        "d/a.txt:2:6: broken: the line ends after 3 of 5 columns: class, x, y, width, height\n");
}

TEST_CASE_METHOD(Workplace,
                 "Pascal VOC counts from 1, and a size that is not the picture's is found") {
  for (const char* name : {"a", "b"}) add(fmt::format("d/JPEGImages/{}.png", name), png(picture));
  add("d/Annotations/a.xml", voc(9, 5, voc_box(0, 1, 3, 3) + "<object><bndbox/></object>\n"));
  add("d/Annotations/b.xml", voc(5, 9, voc_box(1, 1, 3, 9)));
  add("d/SegmentationClass/a.png", png(random_picture(5, 9, 1)));
  CHECK(failed(check({"d", "--labels", "-q"})).out ==
        "d/Annotations/a.xml:3:26: outside: a box of cat lies beyond the left edge by 1 pixel\n"
        "d/Annotations/a.xml:4:10: broken: bndbox has no xmin\n"
        "d/SegmentationClass/a.png: size: says 5 x 9, the picture is 9 x 5\n"
        "d/Annotations/b.xml:2:8: size: says 5 x 9, the picture is 9 x 5\n");
  add("d/Annotations/a.xml", voc(9, 5, voc_box(1, 1, 3, 3)));
  add("d/Annotations/b.xml", voc(0, 0, voc_box(1, 1, 3, 3)));
  CHECK(qturn(check({"d", "--labels", "--masks", "none", "-q"})).out ==
        "d/Annotations/b.xml:2:8: size: says 0 x 0, the picture is 9 x 5\n"
        "d/SegmentationClass/a.png: no label: a picture without a label\n");
}

TEST_CASE_METHOD(Workplace, "One label of two pictures is found, because augment refuses it") {
  add("d/images/a.png", png(picture));
  add("d/images/a.bmp", encoded({picture}, *qturn::codec_of_suffix(".bmp")));
  add("d/labels/a.txt", "0 0.5 0.5 0.1 0.2\n");
  add("d/masks/a.png", png(random_picture(9, 5, 1)));
  const Result result = failed(check({"d", "--labels", "-q"}));
  CHECK_THAT(result.out,
             ContainsSubstring("d/labels/a.txt: broken: belongs to d/images/a.bmp and to "
                               "d/images/a.png, and one label cannot be turned with both\n"));
  CHECK_THAT(result.out, ContainsSubstring("d/masks/a.png: broken: belongs to d/images/a.bmp"));
  refused({"augment", "d", "-o", "out"});
}

TEST_CASE_METHOD(Workplace, "A circle reaches as far as its radius on all sides") {
  add("d/a.png", png(picture));
  const auto findings = [&](int rim) {
    add("d/a.json", fmt::format(R"({{"imagePath": "a.png", "imageWidth": 9,
"imageHeight": 5, "shapes": [{{"label": "cat", "shape_type": "circle",
"points": [[2, 2], [{}, 2]]}}]}})",
                                rim));
    return qturn(check({"d", "--labels", "-q"})).out;
  };
  CHECK(findings(4).empty());
  CHECK_THAT(findings(6), ContainsSubstring("a circle of cat lies beyond the left edge by 2"));
}

TEST_CASE_METHOD(
    Workplace, "In a CSV file a box as large as the picture is found, because augment refuses it") {
  add("d/a.png", png(picture));
  add("d/x.csv", "filename,x,y,width,height\na.png,1,1,9,5\n");
  CHECK_THAT(qturn(check({"d", "--labels", "-q"})).out,
             ContainsSubstring("broken: a box is as large as the picture"));
}

TEST_CASE_METHOD(Workplace, "Each row of a CSV file is looked at, in pixels and as fractions") {
  add("d/a.png", png(picture));
  add("d/b.png", tagged_png(picture, 6));
  add("d/x.csv",
      "filename,class,xmin,ymin,xmax,ymax\na.png,cat,1,1,12,4\na.png,dog,3,3,3,4\n"
      "a.png,cat,x,3,3,4\na.png,cat,0,0,9,5.4\nb.png,cat,0,0,9,9\nb.png,cat,0,0,9,10\n");
  const Result pixels = failed(check({"d", "--labels", "-q"}));
  CHECK_THAT(pixels.out,
             ContainsSubstring(
                 "d/x.csv:2:11: outside: a box of cat lies beyond the right edge by 3 pixels\n"
                 "d/x.csv:3:11: degenerate: a box of dog is 0 wide and 1 high\n"
                 "d/x.csv:4:11: broken: 'x' is not a number\n"
                 "d/x.csv:7:11: outside: a box of cat lies beyond the lower edge by 1 pixel\n"));
  CHECK(pixels.out.find("x.csv:5") == std::string::npos);
  CHECK(pixels.out.find("x.csv:6") == std::string::npos);  // it fits one of the frames
  add("d/x.csv", "filename,x,y\na.png,0.5,0.5\na.png,0.5,1.2\n");
  CHECK_THAT(qturn(check({"d", "--labels", "-q"})).out,
             ContainsSubstring(
                 "d/x.csv:3:7: outside: a keypoint lies beyond the lower edge by 1 pixel\n"));
  add("d/x.csv", "filename,x,y,width,height\na.png,1,1,12,4\n");
  CHECK_THAT(qturn(check({"d", "--labels", "-q"})).out,
             ContainsSubstring("outside: a box lies beyond the right edge by 4 pixels\n"));
}

TEST_CASE("What is wrong with the elements of a COCO file is told, and the others are looked at") {
  CHECK(findings_of_coco(annotation(R"("bbox": [8, 1, 1.5, 2])")) ==
        "d/x.json:4:1: outside: a box of cat lies beyond the right edge by 0.5 pixels\n");
  CHECK(findings_of_coco(annotation(R"("bbox": [8, 1, 1.4, 2])")).empty());
  CHECK(findings_of_coco(annotation(R"("segmentation": [[1, 1, 2, 2], [0, 0, 5, 0, 5, 5]])")) ==
        "d/x.json:4:1: degenerate: a polygon of cat has 2 points, not 3 or more\n");
  CHECK(findings_of_coco(annotation(R"("keypoints": [9, 1, 1, 0, 0, 0])")) ==
        "d/x.json:4:1: outside: a keypoint of cat lies beyond the right edge by 0.5 pixels\n");
  CHECK(findings_of_coco(annotation(R"("segmentation": {"size": [9, 5], "counts": [1, 44]})")) ==
        "d/x.json:4:1: size: a mask of cat is 5 x 9, the picture is 9 x 5\n");
  CHECK(findings_of_coco(annotation(R"("segmentation": {"size": [5, 9], "counts": [45]})")) ==
        "d/x.json:4:1: degenerate: a mask of cat has no pixel\n");
  CHECK(findings_of_coco(annotation(R"("bbox": [1, 1, 1])") + ",\n" +
                         annotation(R"("bbox": [1, 1, 1, 0])")) ==
        "d/x.json:4:52: broken: bbox has 3 numbers, expected x, y, width and height, and perhaps "
        "an angle\n"
        "d/x.json:5:1: duplicate id: an annotation before it has the same id 5\n"
        "d/x.json:5:1: degenerate: a box of cat is 1 wide and 0 high\n");
  CHECK(findings_of_coco(R"({"id": 1, "image_id": 1, "category_id": 2, "bbox": []},
{"id": 2, "image_id": 7, "category_id": 1, "bbox": []})") ==
        "d/x.json:4:1: unknown category: category_id 2 is not among the categories\n"
        "d/x.json:5:1: no picture: image_id 7 is not among the images\n");
  CHECK(findings_of_coco("", image + ",\n" + image + ",\n" +
                                 R"({"id": 2, "file_name": "b.png", "width": 9, "height": 5},
{"id": 3, "file_name": "c.png"})") ==
        "d/x.json:3:1: duplicate id: the image at 2:1 has the same id 1\n"
        "d/x.json:5:1: broken: has no width\n"
        "d/x.json:4:1: no picture: b.png is not a picture of this run\n");
  // Nobody can tell whose annotations a broken image has.
  CHECK(findings_of_coco(R"({"id": 1, "image_id": 3, "category_id": 1, "bbox": [1, 1, 1, 1]})",
                         image + ",\n" + R"({"id": 3, "file_name": "c.png"})") ==
        "d/x.json:3:1: broken: has no width\n");
  CHECK(findings_of_coco("", R"({"id": 1, "file_name": "a.png", "width": 8, "height": 5})") ==
        "d/x.json:2:1: size: says 8 x 5, the picture is 9 x 5\n");
  CHECK_THAT(findings_of_coco("{]"), ContainsSubstring("d/x.json:4:2: broken: is not well-formed"));
}

TEST_CASE_METHOD(Workplace, "A COCO file of other pictures is a note, unless it was named") {
  add("d/a.png", png(picture));
  add("d/a.txt", "0 .5 .5 .5 .5\n");
  add("d/x.json", coco(R"({"id": 1, "file_name": "b.png", "width": 9, "height": 5})", ""));
  done(check({"d", "--labels"}), "d/x.json: none of its images (1) is a picture of this run; not ");
  CHECK(failed(check({"d", "--labels", "coco:d/x.json", "-q"})).out ==
        "d/x.json:2:1: no picture: b.png is not a picture of this run\n"
        "d/a.png: no label: a picture without a label\n");
}

TEST_CASE_METHOD(Workplace, "Of tagged pictures it is said which frame their labels fit") {
  const auto finding = [&](const std::string& name, int tag, const std::string& label,
                           Words words = {}) {
    add("d/a.png", tagged_png(picture, tag));
    add("d/" + name, label);
    words.insert(words.begin(), {"d", "--labels", "-q"});
    const Result result = qturn(check(words));
    std::filesystem::remove(path() / "d" / name);
    const bool is_note = result.out.find(": frame: ") != std::string::npos || result.out.empty();
    CHECK(result.exit_code == (is_note ? 0 : 1));
    return result.out;
  };
  const std::string tagged = ": frame: the picture is tagged with orientation 6; ";
  CHECK(finding("a.xml", 6, voc(9, 5)) ==
        "d/a.xml" + tagged +
            "the label fits the pixels as they are stored: by the size that it says; say so with "
            "--labels-drawn-on stored\n");
  CHECK(finding("a.xml", 6, voc(5, 9)) ==
        "d/a.xml" + tagged +
            "the label fits the upright picture: by the size that it says; say so with "
            "--labels-drawn-on upright\n");
  CHECK(finding("a.xml", 6, voc(9, 9)) ==
        "d/a.xml:2:8: size: says 9 x 9, the picture is 9 x 5 as it is stored and 5 x 9 upright\n");
  const std::string without_size = "<annotation>\n" + voc_box(1, 1, 2, 2) + voc_box(2, 6, 4, 9);
  CHECK(finding("a.xml", 6, without_size + "</annotation>") ==
        "d/a.xml" + tagged +
            "the label fits the upright picture: 0 of 2 shapes lie outside of it, and 1 of the "
            "other; say so with --labels-drawn-on upright\n");
  CHECK_THAT(finding("a.xml", 6, "<annotation></annotation>"), ContainsSubstring("cannot tell"));
  CHECK_THAT(finding("a.xml", 3, voc(9, 5)), ContainsSubstring("cannot tell"));
  CHECK_THAT(finding("a.txt", 6, "0 .5 .5 .5 .5\n"), ContainsSubstring("cannot tell"));
  CHECK(finding("a.xml", 6, voc(5, 9), {"--labels-drawn-on", "upright"}).empty());
  CHECK(finding("a.xml", 6, voc(5, 9), {"--labels-drawn-on", "stored"}) ==
        "d/a.xml:2:8: size: says 5 x 9, the picture is 9 x 5\n");
  CHECK(finding("x.json", 6,
                coco(R"({"id": 1, "file_name": "a.png", "width": 5, "height": 9})", "")) ==
        "d/x.json" + tagged +
            "the label fits the upright picture: by the size that it says; say so with "
            "--labels-drawn-on upright\n");
}

TEST_CASE_METHOD(Workplace, "Findings are JSON lines after the line of their picture") {
  add("d/a.png", png(picture));
  add("d/a.txt", "0 1 .5 1 1\n");
  add("d/b.png", png(picture));
  const Result result = failed(check({"d", "--labels", "auto", "--json", "--quick"}));
  const std::vector<std::string> lines = result.out_lines();
  REQUIRE(lines.size() == 4);
  CHECK(
      lines[1] ==
      R"({"input":"d/a.png","label":"d/a.txt","line":1,"column":1,"fault":"outside","wrong":true,)"
      R"("message":"a box of 0 lies beyond the right edge by 4.5 pixels"})");
  CHECK(
      lines[3] ==
      R"({"input":"d/b.png","fault":"no label","wrong":false,"message":"a picture without a label"})");
}

TEST_CASE_METHOD(
    Workplace,
    "A word after --labels is its kind if it is one, and labels are checked only if asked") {
  add("d/a.png", png(picture));
  CHECK(refused(check({"--labels", "d"})).err ==
        "qturn: found no labels to check; say where they are, as in --labels yolo:DIR\n");
  add("d/a.txt", "0 1 .5 1 1\n");
  done(check({"d"}));
  for (const Words& words : {std::vector<std::string>{"--labels", "d"},
                             {"d", "--labels"},
                             {"--labels", "yolo", "d"},
                             {"--labels=yolo:d", "d"},
                             {"--labels", "auto", "d"}}) {
    failed(check(words));
  }
  refused(check({"d", "--labels", "--json=d/a.txt"}));
  CHECK(content("d/a.txt") == "0 1 .5 1 1\n");
  refused(check({"d", "--masks", "none"}));
  CHECK(qturn(check({"--labels=voc:d", "d"})).err ==
        "qturn: no Pascal VOC label belongs to a picture\n");
}

TEST_CASE_METHOD(Workplace, "Of pictures that are left out, labels are not without a picture") {
  for (const char* name : {"a", "b"}) {
    add(fmt::format("d/images/{}.png", name), png(picture));
    add(fmt::format("d/labels/{}.txt", name), "0 .5 .5 .5 .5\n");
    add(fmt::format("d/masks/{}.png", name), png(random_picture(9, 5, 1)));
  }
  add("d/masks/c_mask.png", png(random_picture(9, 5, 1)));
  CHECK(failed(check({"d", "--labels", "--exclude", "images/b.png", "-q"})).out ==
        "d/masks/c_mask.png: no picture: a label without a picture\n");
}

TEST_CASE_METHOD(
    Workplace, "The page shows each shape over its upright picture, and what was found beside it") {
  add("d/data.yaml", "train: images\nnames: [cat, '<dog>']\n");
  add("d/images/a.png", tagged_png(picture, 6));
  add("d/labels/a.txt", "1 .5 .5 .2 .4\n0 .5 .5 1 3\n");
  add("d/images/b.png", png(picture));
  add("d/labels/b.txt", "0 0 0 1 0 1 1\n");
  add("d/masks/b.png", png(random_picture(9, 5, 1)));
  add("d/images/c.png", tagged_png(picture, 8));
  add("d/x.json", coco(R"({"id": 1, "file_name": "images/c.png", "width": 9, "height": 5})",
                       annotation(R"("bbox": [1, 1, 3, 2], "keypoints": [2, 3, 1, 0, 0, 0],
                                   "segmentation": {"size": [5, 9], "counts": [5, 40]})")));
  failed(check({"--labels", "d", "--html", "page.html", "--keypoints", "none", "-q"}));
  const std::string page = content("page.html");
  CHECK(page.find("d/images/a.png") < page.find("d/images/b.png"));
  CHECK(page.find("d/images/a.png") < page.find("d/images/c.png"));
  // Upright it is 5 x 9, and so is the frame of its label, which nothing tells.
  // The second box reaches 9 pixels beyond the upper and the lower edge.
  CHECK_THAT(page,
             ContainsSubstring("viewBox=\"0 -9 5 27\"><g transform=\"matrix(0 1 -1 0 5 0)\">"));
  CHECK_THAT(page, ContainsSubstring("--c:#ff0000\">&lt;dog&gt;</span>"));
  CHECK_THAT(page, !ContainsSubstring("--c:#ff0000\">cat</span>"));
  CHECK_THAT(page, ContainsSubstring("<rect x=\"2\" y=\"2.7\" width=\"1\" height=\"3.6\""));
  CHECK_THAT(page, ContainsSubstring("<title>&lt;dog&gt;</title></rect>"));
  CHECK_THAT(page,
             ContainsSubstring("<li>a.txt:2:1: outside: a box of cat lies beyond the upper "));
  CHECK_THAT(page, ContainsSubstring("<polygon points=\"0,0 9,0 9,5 \""));
  CHECK_THAT(page, ContainsSubstring("preserveAspectRatio=\"none\" href=\"data:image/png;base64,"));
  // Drawn on the pixels as they are stored, which orientation 8 turns with the picture.
  CHECK_THAT(
      page,
      ContainsSubstring(
          "<g transform=\"matrix(0 -1 1 0 0 9)\"><rect x=\"1\" y=\"1\" width=\"3\" height=\"2\""));
  CHECK_THAT(page, ContainsSubstring("<path d=\"M2.5 3.5h0\""));
  CHECK(page.find("http") == std::string::npos);

  done(check({"d", "--html", "page.html"}));
  CHECK_THAT(content("page.html"),
             ContainsSubstring("4 of 4 pictures") && !ContainsSubstring("<rect"));
  refused(check({"d", "--labels", "--html", "d/labels/a.txt"}));
  failed(check({"d", "--labels", "--html", "d/x.json/page.html", "-q"}), "d/x.json/page.html");
}

TEST_CASE_METHOD(Workplace, "The page shows the name of a Pascal VOC object as it is meant") {
  add("d/a.png", png(picture));
  add("d/a.xml",
      "<annotation><object><name>cat &amp; "
      "&#100;og</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>20</xmax><ymax>3</ymax></bndbox></"
      "object><object><name><![CDATA[a &amp; "
      "b]]></name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>3</ymax></bndbox></"
      "object></annotation>");
  const Result result = qturn(check({"d", "--labels", "--html", "page.html", "-q"}));
  CHECK_THAT(result.out, ContainsSubstring("a box of cat & dog lies beyond"));
  CHECK_THAT(content("page.html"), ContainsSubstring("<title>cat &amp; dog</title>"));
  CHECK_THAT(content("page.html"), ContainsSubstring("<title>a &amp;amp; b</title>"));
}

TEST_CASE("augment --html shows all variants of a sample with their labels") {
  Workplace workplace;
  workplace.add("d/images/a.png", png(picture));
  workplace.add("d/labels/a.txt", "0 .25 .5 .5 .4\n");
  workplace.add("d/masks/a.png", png(random_picture(9, 5, 1)));
  workplace.add("d/x.json",
                coco(R"({"id": 1, "file_name": "images/a.png", "width": 9, "height": 5})",
                     annotation(R"("bbox": [1, 1, 3, 2])")));
  workplace.add("d/x.csv", "image,label,x1,y1,x2,y2\nimages/a.png,<owl>,0,1,2,5\n");
  workplace.done(
      {"augment", "d", "-o", "out", "--variants", "identity,flop,rotate90", "--html", "page.html"});
  const std::string page = workplace.content("page.html");
  for (const char* part : {"<h2>images/a.png</h2>", "<figcaption>identity ", "<figcaption>flop ",
                           "<figcaption>rotate90 ", "viewBox=\"0 0 5 9\"",
                           // YOLO's box and COCO's, as they are, flopped and turned
                           "<rect x=\"0\" y=\"1.5\" width=\"4.5\" height=\"2\"",
                           "<rect x=\"4.5\" y=\"1.5\" width=\"4.5\" height=\"2\"",
                           "<rect x=\"1.5\" y=\"0\" width=\"2\" height=\"4.5\"",
                           "<rect x=\"1\" y=\"1\" width=\"3\" height=\"2\"",
                           "<rect x=\"5\" y=\"1\" width=\"3\" height=\"2\"",
                           "<rect x=\"2\" y=\"1\" width=\"2\" height=\"3\"",
                           // The box of the CSV file
                           "<rect x=\"0\" y=\"1\" width=\"2\" height=\"4\"",
                           "<rect x=\"7\" y=\"1\" width=\"2\" height=\"4\"",
                           "<title>&lt;owl&gt;</title>", "data:image/png;base64,"}) {
    CHECK_THAT(page, ContainsSubstring(part));
  }
  CHECK(page.find("<li>") == std::string::npos);
  workplace.refused({"augment", "d", "-o", "out2", "--html", "d/images/a.png"},
                    "--html would overwrite");
  const auto tree = workplace.tree("d");
  workplace.add("list.txt", "d/images/a.png\n");
  for (const char* option : {"--html=", "--json="}) {
    const auto refuses = [&](Words words, const std::string& file) {
      CAPTURE(option, file);
      words.insert(words.end(), {"-o", "out3", option + file});
      workplace.refused(words, "would overwrite " + file);
    };
    for (const char* file : {"d/labels/a.txt", "d/masks/a.png", "out3/labels/a__flop.txt",
                             "out3/masks/a__flop.png", "d/x.json"})
      refuses({"augment", "d"}, file);
    refuses({"augment", "--files-from", "list.txt", "--labels", "none"}, "list.txt");
  }
  CHECK(workplace.tree("d") == tree);
  workplace.refused({"augment", "d", "-o", "out3", "--html", "x", "--json=x"});
  workplace.add("notes", "mine");
  CHECK_THAT(workplace.qturn({"augment", "d", "-o", "out3", "--html", "notes"}).err,
             ContainsSubstring("notes, which is not an HTML page"));
  CHECK(workplace.content("notes") == "mine");
}

TEST_CASE_METHOD(
    Workplace,
    "check --labels says of a COCO file of captions that there is nothing to check in it") {
  add("d/a.png", png(picture));
  add("d/x.json",
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],
"annotations": [{"id": 2, "image_id": 1, "caption": "a cat"}]})");
  for (const char* labels : {"auto", "coco:d/x.json"}) {
    done({"check", "--labels", labels, "d"},
         "qturn: d/x.json: its annotations (1) have no boxes, polygons, masks or keypoints, so "
         "there is nothing to check in them");
  }
}

}  // namespace check_labels_test
