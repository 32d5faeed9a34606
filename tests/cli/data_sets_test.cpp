// augment with the YAML file of a data set and its lists: what Ultralytics loads the output by.
#include "tests/cli/labelled.hpp"

namespace data_sets_test {

using namespace cli;

namespace {

const std::string names = "\nnames:   # classes\n  0: cat\n";

void add_pictures(const Workplace& workplace, const Names& pictures) {
  for (const std::string& picture : pictures) workplace.add(picture, png(labelled_picture));
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
    const Result result =
        workplace.done(augment({layout.input}),
                       "also written for the turned pictures: out/" + layout.out_yaml + "\n");
    CHECK(result.err.find("left out") == std::string::npos);
    CHECK(workplace.content("out/" + layout.out_yaml) == layout.out_text + names);
  }
}

TEST_CASE_METHOD(Workplace, "A list of pictures has a line for each variant that is there") {
  add_pictures(*this, {"d/images/a.png", "d/images/x/b.png", "d/images/c.png"});
  add("d/images/bad.png", "text");
  add("d/data.yaml", "train: train.txt\nval: val.txt" + names);
  add("d/train.txt", "./images/x/b.png\r\nimages/bad.png\r\n" +
                         (path() / "d/images/a.png").string() + "\r\n\r\n./images/gone.png");
  add("d/val.txt", "d/images/c.png\n");
  const Words words = {"augment", "d", "-o", "out", "--variants", "flop,cw"};
  failed(words, "d/train.txt: 1 of 4 lines name no picture of this run");
  CHECK(content("out/data.yaml") == content("d/data.yaml"));
  CHECK(content("out/train.txt") ==
        "./images/x/b__flop.png\r\n./images/x/b__rotate90.png\r\n"
        "./images/a__flop.png\r\n./images/a__rotate90.png\r\n");
  CHECK(content("out/val.txt") == "./images/c__flop.png\n./images/c__rotate90.png\n");

  // What was missing is listed by the run that adds it.
  add_pictures(*this, {"d/images/bad.png"});
  std::vector<std::string> again = words;
  again.emplace_back("--skip-existing");
  done(again);
  CHECK_THAT(content("out/train.txt"), ContainsSubstring("./images/bad__flop.png\r\n"));
}

TEST_CASE_METHOD(Workplace,
                 "A path without pictures of the run becomes that of the originals, and is named") {
  add_pictures(*this, {"d/images/train/a.png", "d/images/val/b.png", "d/images/it's/c.png"});
  add("d/data.yaml",
      "train: images/train\nval: [images/val, \"images/it's\", images/it's]\n"
      "test: none.txt" +
          names);
  const Result result = done(augment({"d", "--include", "images/train/*"}));
  const std::string images = fs::canonical(path() / "d/images");
  CHECK_THAT(result.err,
             ContainsSubstring("d/data.yaml: val: no picture of images/val is turned, so the "
                               "output lacks it; the path becomes that of the originals, " +
                               images + "/val\n"));
  CHECK_THAT(result.err,
             ContainsSubstring("d/data.yaml: test: no picture of none.txt is turned, so the output "
                               "lacks it; it does not exist, and the path keeps its text\n"));
  CHECK(content("out/data.yaml") == "train: images/train\nval: [" + images + "/val, \"" + images +
                                        "/it's\", '" + images + "/it''s']\ntest: none.txt" + names);
}

TEST_CASE_METHOD(Workplace, "A YAML file of another data set is left alone") {
  add_pictures(*this, {"d/coco8/images/a.png"});
  add("d/coco8/data.yaml", "train: images" + names);
  add("d/data.yaml", "path: elsewhere\ntrain: images\nval: more" + names);
  done(augment({"d/coco8"}));
  CHECK(content("out/data.yaml") == "train: images" + names);
}

TEST_CASE_METHOD(Workplace,
                 "A YAML file or a list that cannot be turned is refused before the start") {
  add_pictures(*this, {"d/images/a.png"});
  add("d/data.yaml", "train: {a: b}" + names);
  refused(augment({"d"}), "d/data.yaml:1:8: expected a path or a list of paths\n");
  add("d/lists/train.txt", "../images/a.png\n");
  add("d/data.yaml", "train: lists/train.txt" + names);
  refused(augment({"d"}),
          "d/lists/train.txt:1: d/images/a.png does not lie below the folder of the list");
  add("d/data.yaml", "train: images" + names);
  done(augment({"d", "--labels", "none"}));
  CHECK_FALSE(exists("out/data.yaml"));
}

TEST_CASE_METHOD(Workplace,
                 "The lists in ImageSets name each variant, and keep what else their lines say") {
  add_pictures(*this, {"voc/JPEGImages/a.png", "voc/JPEGImages/x/b.png", "voc/JPEGImages/c.png"});
  add("voc/ImageSets/Main/train.txt", "a\nx/b\n");
  add("voc/ImageSets/Main/cat_train.txt", "a -1\r\nx/b  1\r\n");
  add("voc/ImageSets/Segmentation/val.txt", "c.png\n\nd\n");
  add("voc/ImageSets/Main/of_others.txt", "z\n");
  done({"augment", "voc", "-o", "out", "--variants", "flop,cw", "--others", "copy"},
       {"also written for the turned pictures: 3 lists in out/ImageSets\n",
        "voc/ImageSets: 1 of 6 lines name no picture of this run\n"});
  CHECK(content("out/ImageSets/Main/train.txt") ==
        "a__flop\na__rotate90\nx/b__flop\nx/b__rotate90\n");
  CHECK(content("out/ImageSets/Main/cat_train.txt") ==
        "a__flop -1\r\na__rotate90 -1\r\nx/b__flop  1\r\nx/b__rotate90  1\r\n");
  CHECK(content("out/ImageSets/Segmentation/val.txt") == "c__flop.png\nc__rotate90.png\n");

  // Beside the input; the names of other operations stay.
  done({"cw", "voc/JPEGImages", "-o", "turned"});
  CHECK(content("turned/ImageSets/Main/cat_train.txt") == "a -1\r\nx/b  1\r\n");
  done({"cw", "voc", "-o", "none", "--labels", "none"});
  CHECK_FALSE(exists("none/ImageSets"));

  add_pictures(*this, {"voc/JPEGImages/a.tif"});
  refused({"cw", "voc", "-o", "two"}, "a may be voc/JPEGImages/a.png or voc/JPEGImages/a.tif");
}

TEST_CASE_METHOD(Workplace,
                 "Harmless tables have a row for each variant, whose names and ids follow") {
  add_pictures(*this, {"d/x/a.png", "d/x/a2.png", "d/x/b.png", "d/x/b_mask.png", "d/y/a.png"});
  add("d/labels.csv",
      "id,filename,label,mask\r\n1,x/a.png,\"a, "
      "b\",\r\n2,x/b.png,dog,x/b_mask.png\r\n3,z.png,1,\r\n");
  add("d/classes.tsv", "b\t3\nx/a2\t17\n");
  add("d/x/captions.jsonl",
      "{\"image\": \"a.png\", \"uid\": \"u1\", \"text\": \"a cat, \\\"x\\\"\"}\n"
      "{\"image\": {\"path\": \".\\/b.png\"}, \"uid\": \"u1\", \"n\": 0.5}\n");
  add("d/pairs.json",
      "[{\"source\": \"x/a.png\", \"conditioning\": \"a2.png\", \"id\": 7},\n"
      " {\"source\": \"b.png\", \"id\": 8}, {\"source\": \"z.png\", \"id\": 9}]\n");
  add("d/by_name.json", R"({"b.png": "a dog"})");
  const Words words = {"augment", "d", "--variants", "flop,cw"};
  done(with(words, {"-o", "out"}), {"out/labels.csv; ids with the variant added: id\n",
                                    "labels.csv: 1 of 3 rows name no picture of this run"});
  CHECK(content("out/labels.csv") ==
        "id,filename,label,mask\r\n"
        "1_flop,x/a__flop.png,\"a, b\",\r\n1_rotate90,x/a__rotate90.png,\"a, b\",\r\n"
        "2_flop,x/b__flop.png,dog,x/b__flop_mask.png\r\n"
        "2_rotate90,x/b__rotate90.png,dog,x/b__rotate90_mask.png\r\n");
  CHECK(content("out/classes.tsv") ==
        "b__flop\t3\nb__rotate90\t3\nx/a2__flop\t17\nx/a2__rotate90\t17\n");
  CHECK(content("out/x/captions.jsonl") ==
        "{\"image\": \"a__flop.png\", \"uid\": \"u1\", \"text\": \"a cat, \\\"x\\\"\"}\n"
        "{\"image\": \"a__rotate90.png\", \"uid\": \"u1\", \"text\": \"a cat, \\\"x\\\"\"}\n"
        "{\"image\": {\"path\": \"./b__flop.png\"}, \"uid\": \"u1\", \"n\": 0.5}\n"
        "{\"image\": {\"path\": \"./b__rotate90.png\"}, \"uid\": \"u1\", \"n\": 0.5}\n");
  CHECK(content("out/pairs.json") ==
        "[\n{\"source\": \"x/a__flop.png\", \"conditioning\": \"a2__flop.png\", \"id\": 57},\n"
        "{\"source\": \"x/a__rotate90.png\", \"conditioning\": \"a2__rotate90.png\", \"id\": 61},\n"
        "{\"source\": \"b__flop.png\", \"id\": 65},\n{\"source\": \"b__rotate90.png\", \"id\": "
        "69}\n]\n");
  CHECK_FALSE(exists("out/by_name.json"));
  for (const char* shard : {"0/2", "1/2"}) done(with(words, {"-o", "parts", "--shard", shard}));
  done({"merge", "parts"});
  CHECK(tree("parts") == tree("out"));
  const std::string before = content("d/labels.csv");
  done({"flop", "d", "--in-place"});
  CHECK(content("d/labels.csv") == before);
}

TEST_CASE_METHOD(Workplace, "Names of other files in a table with boxes follow their pictures") {
  add_pictures(*this, {"d/train/a.png", "d/parts/a_m01.png", "d/train/a_mask.png"});
  add("d/boxes.csv",
      "MaskPath,ImageID,XMin,XMax,YMin,YMax,depth,note\n"
      "a_m01.png,a,0.25,0.5,0.25,0.75,train/a_mask.png,z.png\n");
  add("d/boxes.jsonl",
      R"({"mask": "train\/a_mask.png", "file_name": "a.png", "bbox": [0, 0, 1, 1], "of": ["a.png", "z.png"], "t": {"m": "a_m01.png"}})"
      "\n");
  add("d/boxes.json",
      R"([{"image": "a.png", "a.png": 1, "thermal": "x/../parts/a_m01.png", "annotations": [{"coordinates": {"x": 1, "y": 1, "width": 1, "height": 1}}]}])");
  add("d/coco.json",
      R"({"images": [{"id": 1, "width": 9, "height": 5, "depth_file": "a_mask.png", "file_name": "a.png", "coco_url": "http://x/a_m01.png"}], "annotations": []})");
  const Words words = {"augment", "d", "--variants", "rotate180"};
  done(with(words, {"-o", "out", "--verify"}));
  CHECK(content("out/boxes.csv") ==
        "MaskPath,ImageID,XMin,XMax,YMin,YMax,depth,note\n"
        "a_m01__rotate180.png,a__rotate180,0.5,0.75,0.25,0.75,train/a__rotate180_mask.png,z.png\n");
  CHECK(
      content("out/boxes.jsonl") ==
      R"({"mask": "train/a__rotate180_mask.png", "file_name": "a__rotate180.png", "bbox": [8, 4, 1, 1], "of": ["a__rotate180.png", "z.png"], "t": {"m": "a_m01__rotate180.png"}})"
      "\n");
  CHECK(content("out/boxes.json").find(R"("thermal": "x/../parts/a_m01__rotate180.png")") !=
        std::string::npos);
  CHECK(
      content("out/coco.json")
          .find(
              R"("depth_file": "a__rotate180_mask.png", "file_name": "a__rotate180.png", "coco_url": "http://x/a_m01.png")") !=
      std::string::npos);
  for (const char* shard : {"0/2", "1/2"}) done(with(words, {"-o", "parts", "--shard", shard}));
  done({"merge", "parts"});
  for (const std::string name : {"/boxes.csv", "/boxes.jsonl", "/boxes.json", "/coco.json"})
    CHECK(content("parts" + name) == content("out" + name));
}

}  // namespace data_sets_test
