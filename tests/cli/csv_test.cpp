// augment with CSV files of labels: that they are found, how they name pictures, and that the new
// one holds the rows of what was written. What all files of many pictures have in common is in
// coco_test.cpp.
#include "tests/cli/labelled.hpp"

namespace csv_test {

using namespace cli;

namespace {

const Picture& picture = labelled_picture;  // 9 x 5
const std::string header = "filename,class,xmin,ymin,xmax,ymax\n";
const std::string one = header + "a.png,cat,1,1,3,4.50\n";
const std::string one_flopped = header + "a__flop.png,cat,6,1,8,4.50\n";

}  // namespace

TEST_CASE("A CSV file of labels is found, and the turned one lies where it lay") {
  const Layout layouts[] = {
      {"data/train/a.png", "data/train_labels.CSV", "data", "train/a__flop.png",
       "train_labels.CSV"},
      {"data/images/a.png", "data/annotations/x.csv", "data/images", "a__flop.png",
       "annotations/x.csv"},
      {"data/a.png", "data/_annotations.csv", "data", "a__flop.png", "_annotations.csv"},
      {"data/a.png", "data/a.csv", "data", "a__flop.png", "a.csv"},  // of the picture's own stem
      {"data/a.png", "elsewhere/x.csv", "data", "a__flop.png", "x.csv"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.picture, layout.file, layout.input);
    const Workplace workplace;
    const bool is_named = layout.file.starts_with("elsewhere");
    const Words named = is_named ? Words{"--labels=csv:" + layout.file} : Words{};
    CHECK_THAT(flop_layout(workplace, layout, one, named).err,
               StartsWith("qturn: CSV labels of 1 of 1 picture turn with them: " + layout.file +
                          "; boxes from xmin, ymin, xmax, ymax, in pixels\n"));
    CHECK(workplace.content("out/" + layout.out_file) == one_flopped);
  }
}

TEST_CASE_METHOD(Workplace,
                 "Other CSV files are not labels, and one that cannot be turned is refused") {
  add("data/a.png", png(picture));
  add("data/classes.csv", "filename,class\na.png,cat\n");
  done(augment({"data"}));
  CHECK(results(*this) == Names{"a__flop.png", "classes.csv"});
  CHECK(content("out/classes.csv") == "filename,class\na__flop.png,cat\n");
  add("data/boxes.csv", "filename,bbox\na.png,\"[1, 2, 3, 4]\"\n");
  CHECK(refused(augment({"data", "--overwrite"})).err ==
        "qturn: data/boxes.csv:1:10: column bbox cannot be turned\n");
  refused(augment({"data", "--labels", "csv:data/classes.csv"}),
          "does not name the columns of a box or a point");
  add("pairs", "0 1\n");
  CHECK_THAT(qturn(augment({"data", "--labels", "csv:boxes.csv", "--swap-pairs", "pairs"})).err,
             ContainsSubstring("the pairs of pairs are keypoints of an object, which CSV labels do "
                               "not have; leave out --swap-pairs"));
}

TEST_CASE_METHOD(
    Workplace, "What Hugging Face says of pictures has a line for each variant, and is no label") {
  add("data/x/a.jpg", tagged_jpeg(smooth_picture(64, 48), 6));  // in no frame
  add("data/b.png", png(picture));
  add("data/b.txt", "0 0.25 0.5 0.1 0.2\n");
  add("data/c.png", png(picture));
  const std::string text = "file_name,text\n\"x/a.jpg\",\"a cat, 2 dogs\"\nb.png,b\nmore.png,c";
  add("data/metadata.csv", text);
  const std::string line = R"({"text": "a \u00e9", "file_name": "c.png"})";
  add("data/metadata.jsonl", line);
  done({"augment", "data", "-o", "out", "--variants", "flop,cw"});
  CHECK(content("out/metadata.csv") ==
        "file_name,text\n\"x/a__flop.jpg\",\"a cat, 2 dogs\"\n\"x/a__rotate90.jpg\",\"a cat, 2 "
        "dogs\"\nb__flop.png,b\nb__rotate90.png,b\n");
  CHECK(content("out/metadata.jsonl") == R"({"text": "a \u00e9", "file_name": "c__flop.png"})"
                                         "\n"
                                         R"({"text": "a \u00e9", "file_name": "c__rotate90.png"})");
  CHECK(content("out/b__flop.txt") == "0 0.75 0.5 0.1 0.2\n");
  // Without variants pictures keep their names.
  done({"flop", "data", "--in-place"});
  CHECK(content("data/metadata.csv") == text);
  add("data/metadata.csv", "file_name,text\nmore.png,c\n");
  done(augment({"data", "--overwrite"}));
}

TEST_CASE_METHOD(Workplace, "A CSV file may name a picture by its stem, if one alone has it") {
  add("data/a.b.png", png(picture));
  add("data/x/c.png", png(picture));
  add("x.csv", "ImageID,XMin,XMax,YMin,YMax\na.b,0,0.25,0.5,1\nx/c,0,0.25,0.5,1\n");
  done(augment({"data", "--labels", "csv:x.csv"}));
  CHECK(content("out/x.csv") ==
        "ImageID,XMin,XMax,YMin,YMax\na.b__flop,0.75,1,0.5,1\nx/c__flop,0.75,1,0.5,1\n");
  add("data/a.b.pnm", "P5 1 1 255 x");
  CHECK_THAT(refused(augment({"data", "--labels", "csv:x.csv", "--overwrite"})).err,
             StartsWith("qturn: x.csv:2:1: a.b may be data/a.b."));
}

TEST_CASE_METHOD(Workplace,
                 "A CSV file holds each variant that was written, and none that failed") {
  for (const std::string name : {"a", "b", "c"}) add("data/" + name + ".png", png(picture));
  add("data/x.csv",
      "file,image_width,image_height,x,y\r\na.png,9,5,8,0\r\nb.png,9,6,8,0\r\nc.png,9,5,up,0\r\n"
      "gone.png,9,5,8,0\r\na.png,9,5,0,4");
  failed({"augment", "data", "-o", "out", "--variants", "rotate90,flop"},
         {"images not found: 1 of 4; images whose labels cannot be turned in all variants: 1\n",
          "qturn: data/b.png: data/x.csv:3:1: says 9 x 6, the picture is 9 x 5\n",
          "qturn: data/c.png: data/x.csv:4:11: 'up' is not a number\n"});
  CHECK(results(*this) == Names{"a__flop.png", "a__rotate90.png", "x.csv"});
  const std::string whole = content("out/x.csv");
  CHECK(whole ==
        "file,image_width,image_height,x,y\r\na__flop.png,9,5,0,0\r\na__rotate90.png,5,9,4,8\r\n"
        "a__flop.png,9,5,8,4\r\na__rotate90.png,5,9,0,0");

  // The header of a picture that is left alone is read again.
  fs::remove(path() / "out/x.csv");
  failed({"augment", "data", "-o", "out", "--variants", "rotate90,flop", "--skip-existing"});
  CHECK(content("out/x.csv") == whole);
}

TEST_CASE_METHOD(Workplace,
                 "The width and the height of the picture are not taken for those of a box") {
  for (const std::string name : {"a", "b"}) add("data/" + name + ".png", png(picture));
  add("data/x.csv", "file,width,height,x,y\na.png,9,5,3,1\nb.png,9,5,0,0\n");
  failed(augment({"data"}),
         "qturn: data/a.png: data/x.csv:2:1: a box is as large as the picture and does not begin "
         "at its corner; if width and height are the picture's, call their columns image_width and "
         "image_height\n");
  CHECK(results(*this) == Names{"b__flop.png", "x.csv"});
}

TEST_CASE_METHOD(Workplace, "CSV labels without a size turn in the frame that they were drawn in") {
  add("data/a.png", tagged_png(picture, 6));  // 5 x 9 for a viewer
  add("data/x.csv", one);
  CHECK_THAT(qturn(augment({"data"})).err,
             ContainsSubstring("1 of 1 picture that have labels or masks: data/a.png"));
  CHECK_FALSE(exists("out/a__flop.png"));
  for (const std::string option : {"--overwrite", "--skip-existing"}) {
    fs::remove(path() / "out/x.csv");
    done(augment({"data", "--labels-drawn-on", "upright", option}));
    CHECK(content("out/x.csv") == header + "a__flop.png,cat,2,1,4,4.50\n");
  }
  // rotate90 and then flop is transpose.
  done(augment({"data", "--labels-drawn-on", "stored", "--overwrite"}));
  CHECK(content("out/x.csv") == header + "a__flop.png,cat,1,1,4.50,3\n");
}

}  // namespace csv_test
