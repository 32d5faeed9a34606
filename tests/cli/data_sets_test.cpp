// augment with the YAML file of a data set and its lists: what Ultralytics loads the output by.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/cli/labelled.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::augment;
using cli::Result;
using cli::Workplace;
using Names = std::set<std::string>;

namespace {

const std::string names = "\nnames:   # classes\n  0: cat\n";

void add_pictures(const Workplace& workplace, const std::set<std::string>& pictures) {
  for (const std::string& picture : pictures)
    workplace.add(picture, cli::png(cli::labelled_picture));
}

}  // namespace

TEST_CASE("The paths of a YAML file become those of the output, and all else stays") {
  struct Layout {
    std::string picture, yaml, input, text, out_yaml, out_text;
  };
  const Layout layouts[] = {
      {"d/images/train/a.png", "d/data.yaml", "d",
       "path: ../datasets/d  # root\ntrain: images/train # 1 image\nval: images/train\r\ntest:\n",
       "data.yaml", "path:   # root\ntrain: images/train # 1 image\nval: images/train\r\ntest:\n"},
      // As Roboflow writes it.
      {"d/train/images/a.png", "d/data.yaml", "d",
       "train: ../train/images\nval: ['../train/images', \"train/images\"]\n", "data.yaml",
       "train: train/images\nval: ['train/images', \"train/images\"]\n"},
      // The file lies elsewhere than the root.
      {"d/images/a.png", "d/yaml/x.yml", "d", "path: ..\ntrain:\n  - images\nval: images/\n",
       "yaml/x.yml", "path: \ntrain:\n  - ../images\nval: ../images\n"},
      {"d/images/train/a.png", "d/data.yaml", "d/images", "path: .\ntrain: images/train\n",
       "data.yaml", "path: \ntrain: train\n"},
      {"d/images/a.png", "d/data.yaml", "d/images", "train: images\n", "data.yaml", "train: .\n"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.text, layout.input);
    Workplace workplace;
    add_pictures(workplace, {layout.picture});
    workplace.add(layout.yaml, layout.text + names);
    const Result result = augment(workplace, {layout.input});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err,
               ContainsSubstring("written for the turned pictures, too: " + layout.yaml + "\n"));
    CHECK(result.err.find("left out") == std::string::npos);
    CHECK(workplace.content("out/" + layout.out_yaml) == layout.out_text + names);
  }
}

TEST_CASE("A list of pictures has a line for each variant that is there") {
  Workplace workplace;
  add_pictures(workplace, {"d/images/a.png", "d/images/x/b.png", "d/images/c.png"});
  workplace.add("d/images/bad.png", "text");
  workplace.add("d/data.yaml", "train: train.txt\nval: val.txt" + names);
  workplace.add("d/train.txt", "./images/x/b.png\r\nimages/bad.png\r\n" +
                                   (workplace.path() / "d/images/a.png").string() +
                                   "\r\n\r\n./images/gone.png");
  workplace.add("d/val.txt", "d/images/c.png\n");
  const std::vector<std::string> words = {"augment", "d", "-o", "out", "--variants", "flop,cw"};
  const Result result = workplace.qturn(words);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             ContainsSubstring("d/train.txt: 1 of 4 lines name no picture of this run"));
  CHECK(workplace.content("out/data.yaml") == workplace.content("d/data.yaml"));
  CHECK(workplace.content("out/train.txt") ==
        "./images/x/b__flop.png\r\n./images/x/b__rotate90.png\r\n"
        "./images/a__flop.png\r\n./images/a__rotate90.png\r\n");
  CHECK(workplace.content("out/val.txt") == "./images/c__flop.png\n./images/c__rotate90.png\n");

  // What was missing is listed by the run that adds it.
  add_pictures(workplace, {"d/images/bad.png"});
  std::vector<std::string> again = words;
  again.emplace_back("--skip-existing");
  CHECK(workplace.qturn(again).exit_code == 0);
  CHECK_THAT(workplace.content("out/train.txt"), ContainsSubstring("./images/bad__flop.png\r\n"));
}

TEST_CASE("A path without pictures of the run becomes that of the originals, and is named") {
  Workplace workplace;
  add_pictures(workplace, {"d/images/train/a.png", "d/images/val/b.png", "d/images/it's/c.png"});
  workplace.add("d/data.yaml",
                "train: images/train\nval: [images/val, \"images/it's\", images/it's]\n"
                "test: none.txt" +
                    names);
  const Result result = augment(workplace, {"d", "--include", "images/train/*"});
  CHECK(result.exit_code == 0);
  const std::string images = fs::canonical(workplace.path() / "d/images");
  CHECK_THAT(result.err, ContainsSubstring("d/data.yaml: val: no picture of images/val is turned, "
                                           "so the output lacks it; the path becomes that of the "
                                           "originals, " +
                                           images + "/val\n"));
  CHECK_THAT(result.err, ContainsSubstring("d/data.yaml: test: no picture of none.txt is turned, "
                                           "so the output lacks it; it does not exist, and the "
                                           "path keeps its text\n"));
  CHECK(workplace.content("out/data.yaml") == "train: images/train\nval: [" + images + "/val, \"" +
                                                  images + "/it's\", '" + images +
                                                  "/it''s']\ntest: none.txt" + names);
}

TEST_CASE("A YAML file of another data set is left alone") {
  Workplace workplace;
  add_pictures(workplace, {"d/coco8/images/a.png"});
  workplace.add("d/coco8/data.yaml", "train: images" + names);
  workplace.add("d/data.yaml", "path: elsewhere\ntrain: images\nval: more" + names);
  CHECK(augment(workplace, {"d/coco8"}).exit_code == 0);
  CHECK(workplace.content("out/data.yaml") == "train: images" + names);
}

TEST_CASE("A YAML file or a list that cannot be turned is refused before the start") {
  Workplace workplace;
  add_pictures(workplace, {"d/images/a.png"});
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const Result result = augment(workplace, words);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, ContainsSubstring(why));
    CHECK_FALSE(workplace.exists("out"));
  };
  workplace.add("d/data.yaml", "train: {a: b}" + names);
  refused({"d"}, "d/data.yaml:1:8: expected a path or a list of paths; --labels none turns each");
  workplace.add("d/lists/train.txt", "../images/a.png\n");
  workplace.add("d/data.yaml", "train: lists/train.txt" + names);
  refused({"d"}, "d/lists/train.txt:1: d/images/a.png does not lie below the folder of the list");
  workplace.add("d/data.yaml", "train: images" + names);
  CHECK(augment(workplace, {"d", "--labels", "none"}).exit_code == 0);
  CHECK_FALSE(workplace.exists("out/data.yaml"));
}

TEST_CASE("The lists in ImageSets name each variant, and keep what else their lines say") {
  Workplace workplace;
  add_pictures(workplace,
               {"voc/JPEGImages/a.png", "voc/JPEGImages/x/b.png", "voc/JPEGImages/c.png"});
  workplace.add("voc/ImageSets/Main/train.txt", "a\nx/b\n");
  workplace.add("voc/ImageSets/Main/cat_train.txt", "a -1\r\nx/b  1\r\n");
  workplace.add("voc/ImageSets/Segmentation/val.txt", "c.png\n\nd\n");
  workplace.add("voc/ImageSets/Main/of_others.txt", "z\n");
  const Result result =
      workplace.qturn({"augment", "voc", "-o", "out", "--variants", "flop,cw", "--others", "copy"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err,
             ContainsSubstring("written for the turned pictures, too: 3 lists in voc/ImageSets\n"));
  CHECK_THAT(result.err,
             ContainsSubstring("voc/ImageSets: 1 of 6 lines name no picture of this run\n"));
  CHECK(workplace.content("out/ImageSets/Main/train.txt") ==
        "a__flop\na__rotate90\nx/b__flop\nx/b__rotate90\n");
  CHECK(workplace.content("out/ImageSets/Main/cat_train.txt") ==
        "a__flop -1\r\na__rotate90 -1\r\nx/b__flop  1\r\nx/b__rotate90  1\r\n");
  CHECK(workplace.content("out/ImageSets/Segmentation/val.txt") ==
        "c__flop.png\nc__rotate90.png\n");

  // Beside the input; the names of other operations stay.
  const Result turned = workplace.qturn({"cw", "voc/JPEGImages", "-o", "turned"});
  CHECK(turned.exit_code == 0);
  CHECK(workplace.content("turned/ImageSets/Main/cat_train.txt") == "a -1\r\nx/b  1\r\n");
  CHECK(workplace.qturn({"cw", "voc", "-o", "none", "--labels", "none"}).exit_code == 0);
  CHECK_FALSE(workplace.exists("none/ImageSets"));

  add_pictures(workplace, {"voc/JPEGImages/a.tif"});
  const Result two = workplace.qturn({"cw", "voc", "-o", "two"});
  CHECK(two.exit_code == 2);
  CHECK_THAT(two.err, ContainsSubstring("a may be voc/JPEGImages/a.png or voc/JPEGImages/a.tif"));
}
