// augment with sidecars: files of a picture's stem that are neither pictures, masks nor labels.
// They go with each variant, as one outcome with it; XMP is turned, others are copied.
#include <nlohmann/json.hpp>

#include "src/metadata/xmp.hpp"
#include "tests/cli/labelled.hpp"
#include "tests/fixtures/metadata.hpp"

namespace augment_sidecars_test {

using namespace cli;
using nlohmann::json;

namespace {

const std::string picture = png(labelled_picture);

std::string xmp(const std::string& orientation) {
  return qturn::tests::xmp_packet_with("tiff:Orientation='" + orientation + "'");
}

}  // namespace

TEST_CASE_METHOD(Workplace, "Files of a picture's stem are copied with each variant, and counted") {
  add("d/x/A.PNG", picture);
  add("d/x/a.caption", "a cat on the left");
  add("d/x/a.CLS", "3");
  add("d/x/a.json", R"({"author": "me"})");
  add("d/x/b.png", picture);
  add("d/x/b.txt", "");
  add("d/x/ab.cls", "of nothing");
  add("d/x/a.b.cls", "of another stem");
  add("d/x/a", "without a suffix");
  done({"augment", "d", "-o", "out", "--variants", "identity,flop"},
       {"qturn: other files with the name of a picture, copied with each of its variants: 1 "
        ".caption, 1 .cls, 1 .json\n",
        "qturn: 4 of 4 variants of 2 pictures written (2 copied byte for byte, 2 re-encoded "
        "without loss); ",
        "qturn: written with them: 2 labels, 6 sidecars\n",
        "left out, because they are not pictures: 2 .cls, 1 no suffix\n"});
  CHECK(results(*this) == Names{"x/A__identity.PNG", "x/A__flop.PNG", "x/A__identity.caption",
                                "x/A__flop.caption", "x/A__identity.CLS", "x/A__flop.CLS",
                                "x/A__identity.json", "x/A__flop.json", "x/b__identity.png",
                                "x/b__flop.png", "x/b__identity.txt", "x/b__flop.txt"});
  CHECK(content("out/x/A__flop.caption") == "a cat on the left");
}

TEST_CASE_METHOD(Workplace, "The XMP sidecars of a picture are turned with it") {
  add("d/a.png", tagged_png(labelled_picture, 6));
  add("d/a.xmp", xmp("6"));
  add("d/a.png.xmp", xmp("6"));
  add("d/b.png", picture);
  add("d/b.xmp", xmp("1").substr(0, 90));
  failed(augment({"d", "--format", "tiff"}),
         {"XMP sidecars of 2 of 2 pictures turn with them",
          "qturn: d/b.png: d/b.xmp: ", "--exclude '*.xmp' leaves such files out"});
  CHECK(results(*this) == Names{"a__flop.tif", "a__flop.xmp", "a__flop.tif.xmp"});
  for (const char* name : {"out/a__flop.xmp", "out/a__flop.tif.xmp"})
    CHECK(qturn::read_xmp(content(name)).orientation == "1");
}

TEST_CASE("A caption beside a picture is copied, what may be a label of another kind is refused") {
  const auto run = [](const std::string& name, const std::string& text, const Words& more = {}) {
    Workplace workplace;
    workplace.add("d/images/a.png", picture);
    workplace.add("d/images/" + name, text);
    workplace.add("d/labels/a.txt", "0 0.25 0.5 0.1 0.2\n");
    const Words words = with({"d"}, more);
    const Result result = workplace.qturn(augment(words));
    INFO(result.err);
    if (result.exit_code == 0) {
      CHECK(results(workplace).contains("labels/a__flop.txt"));
      return std::string(results(workplace).size() == 3 ? "copied" : "left");
    }
    CHECK_FALSE(workplace.exists("out"));
    return result.err;
  };
  CHECK(run("a.txt", "a photo of 3 cats, 1 dog") == "copied");
  CHECK(run("a.txt", "3 cats and a dog") == "copied");
  CHECK(run("a.txt", "3 cats and a dog", {"--exclude", "*images/a.txt"}) == "left");
  CHECK(run("a.xml", "<svg/>") == "copied");
  CHECK(run("a.json", R"({"size": [9, 5], "score": 0.5})") == "copied");
  CHECK(run("a.mp4", std::string("1 2 3 4\0", 8)) == "copied");  // no text
  for (const std::string name : {"a.pts", "a.lst", "a.jsonl"}) {
    CAPTURE(name);
    CHECK(run(name, "n_points: 2\n{\n30.5 40\n50 60\n}\n") ==
          "qturn: d/images/" + name +
              ": has the name of a picture, and 5 numbers: n_points; --others leave turns the "
              "pictures without such files, --others copy copies them as they are, --exclude '*" +
              fs::path(name).extension().string() + "' leaves them out\n");
  }
  // A label of another format than --labels names.
  CHECK(run("a.xml", "<annotation/>", {"--labels", "yolo"}) == "left");
  CHECK(run("a.caption", "x", {"--labels", "yolo"}) == "copied");
  CHECK(run("a.caption", "x", {"--exclude", "*.caption"}) == "left");
  for (const auto& [name, text] : {std::pair{"a.txt", "cat 0.25 0.5 0.1 0.2"},
                                   {"a.json", R"({"box2d": [1, 2.5,3 , 4]})"},
                                   {"a.json", R"({"x": 1, "y": 2})"},
                                   {"a.xml", "<o><l>12</l><t>3</t></o>"}}) {
    CAPTURE(text);
    CHECK_THAT(run(name, text), ContainsSubstring("' leaves them out"));
  }
}

TEST_CASE_METHOD(Workplace, "A link beside a picture is copied with --follow alone") {
  add("d/a.png", picture);
  add("elsewhere", "private");
  fs::create_symlink("../elsewhere", path() / "d/a.caption");
  done(augment({"d"}));
  CHECK(results(*this) == Names{"a__flop.png"});
  done(augment({"d", "--follow", "--overwrite"}));
  CHECK(content("out/a__flop.caption") == "private");
}

TEST_CASE("A picture of the same stem that is not selected is not copied") {
  const std::string jpeg = cli::jpeg(labelled_picture);
  for (const auto& [name, content] : {std::pair<std::string, std::string>{"a.jpg", jpeg},
                                      {"a.depth.png", picture},
                                      {"a.heic", "x"},
                                      {"a.cr2", "x"},
                                      {"a.data", picture},
                                      {"a.txt", jpeg},
                                      {"A.IMG", jpeg}}) {
    CAPTURE(name);
    Workplace workplace;
    workplace.add("d/a.png", picture);
    workplace.add("d/a.caption", "x");
    workplace.add("d/" + name, content);
    workplace.add("list", "d/a.png\n");
    for (const auto& inputs : {std::vector<std::string>{"d", "--include", "*a.png"},
                               {"d/a.png"},
                               {"--files-from", "list"}}) {
      workplace.done(augment(inputs));
      const std::string folder = inputs.front() == "--files-from" ? "d/" : "";
      CHECK(results(workplace) == Names{folder + "a__flop.png", folder + "a__flop.caption"});
      fs::remove_all(workplace.path() / "out");
    }
  }
}

TEST_CASE_METHOD(Workplace, "What belongs to another picture of the run is not replaced") {
  for (const std::string name : {"d/a", "d/a__flop"}) {
    add(name + ".png", picture);
    add(name + ".caption", name);
  }
  refused({"augment", "d/a.png", "d/a__flop.png", "-o", "d", "--overwrite", "--variants",
           "rotate180,flop"},
          "is an input as well");
  // Also if no picture is in the way.
  fs::remove(path() / "d/a__flop.png");
  add("d/b.png", picture);
  fs::rename(path() / "d/a__flop.caption", path() / "d/b.caption");
  fs::create_hard_link(path() / "d/b.caption", path() / "d/a__flop.caption");
  refused({"augment", "d/a.png", "d/b.png", "-o", "d", "--overwrite", "--variants", "flop"},
          "d/a__flop.caption: is an input as well");
}

TEST_CASE("A file of the stem of two pictures is refused, whatever variants are drawn") {
  for (const std::string other : {"d/a.bmp", "d/A.png"}) {
    CAPTURE(other);
    Workplace workplace;
    workplace.add("d/a.png", picture);
    workplace.add(other, picture);
    workplace.add("d/a.caption", "x");
    for (const char* seed : {"1", "2", "3"}) {
      const Result result =
          workplace.refused({"augment", "d", "-o", "out", "--random", "1", "--seed", seed},
                            " and to d/a.png; turn them one after the other");
      CHECK_THAT(result.err, StartsWith("qturn: d/a.caption belongs to d/"));
    }
    workplace.done(augment({"d", "--exclude", "*.caption"}));
  }
}

TEST_CASE_METHOD(
    Workplace,
    "What is made once for all pictures and what belongs to one have places of their own") {
  add("d/a.png", picture);
  add("d/a.csv", "a cat");
  add("d/a__flop.csv", "filename,class,xmin,ymin,xmax,ymax\na.png,cat,1,1,3,4\n");
  CHECK(refused(augment({"d"})).err ==
        "qturn: d/a.csv and d/a__flop.csv would both be written to out/a__flop.csv; run them one "
        "after the other, each with its own output\n");
}

TEST_CASE_METHOD(Workplace, "A text among labels that are beside pictures is not a caption") {
  add("d/a.png", picture);
  add("d/a.txt", "a cat");
  add("d/b.png", picture);
  add("d/b.txt", "0 0.25 0.5 0.1 0.2\n");
  CHECK_THAT(refused(augment({"d"})).err, StartsWith("qturn: d/a.txt: is not a YOLO label"));
}

TEST_CASE_METHOD(
    Workplace,
    "The summary counts variants, and a reason that all of a picture share is said once") {
  add("d/bad.png", "not a picture");
  add("d/fine.png", picture);
  add("d/fine_mask.png", picture);
  add("d/README", "");
  const Result result = failed(
      {"augment", "d", "-o", "out", "--variants", "cw,ccw", "--others", "copy"},
      {"qturn: masks of 1 of 2 pictures turn with them\n",
       "qturn: 2 of 4 variants of 2 pictures written (2 re-encoded without loss), 2 failed; ",
       "qturn: written with them: 2 masks\n", "qturn: copied as they are: 1 other file\n"});
  const std::size_t first = result.err.find("qturn: d/bad.png: ");
  REQUIRE(first != std::string::npos);
  CHECK(result.err.find("qturn: d/bad.png: ", first + 1) == std::string::npos);
}

TEST_CASE_METHOD(Workplace, "Option --strict refuses a file that would be copied, but not XMP") {
  add("d/a.png", picture);
  add("d/a.xmp", xmp("1"));
  done(augment({"d", "--strict"}));
  fs::remove_all(path() / "out");
  add("d/a.caption", "x");
  CHECK(refused(augment({"d", "--strict"})).err ==
        "qturn: d/a.caption would be copied as it is with each variant of its picture (--strict); "
        "--exclude '*.caption' leaves such files out\n");
  done(augment({"d", "--strict", "--exclude", "*.caption"}));
}

TEST_CASE_METHOD(Workplace, "No file is copied twice, and none with labels none") {
  add("d/a.png", picture);
  add("d/a.caption", "x");
  add("d/classes.names", "cat");
  done(augment({"d", "--others", "copy"}));
  CHECK(results(*this) == Names{"a__flop.png", "a__flop.caption", "classes.names"});
  refused(augment({"d", "--labels", "none", "--others", "copy", "--overwrite", "-o", "out2"}));
  done({"augment", "d", "-o", "none", "--variants", "flop", "--labels", "none"});
  CHECK(files("none") == Names{"a__flop.png", "manifest.jsonl"});
}

TEST_CASE_METHOD(Workplace, "A picture and its sidecars are one outcome") {
  add("d/bad.png", "not a picture");
  add("d/bad.caption", "x");
  add("d/fine.png", picture);
  add("d/fine.caption", "x");
  failed(augment({"d"}));
  CHECK(results(*this) == Names{"fine__flop.png", "fine__flop.caption"});
  // A half sample is refused, or made again.
  fs::remove(path() / "out/fine__flop.caption");
  add("d/bad.png", picture);
  CHECK_THAT(refused(augment({"d", "--skip-existing"})).err,
             StartsWith("qturn: out/fine__flop.png exists, but not all that belongs to it"));
  CHECK_THAT(qturn(augment({"d", "--resume"})).err,
             ContainsSubstring("out/fine__flop.caption the interrupted run has written one"));
  done(augment({"d", "--update"}));
  const auto before = tree("out");
  CHECK(before.size() == 5);
  done(augment({"d", "--skip-existing"}));
  CHECK(tree("out") == before);
  fs::remove_all(path() / "out");
  add("out/fine__flop.caption", "mine");
  CHECK_THAT(qturn(augment({"d"})).err, StartsWith("qturn: out/fine__flop.caption exists already"));
  CHECK(content("out/fine__flop.caption") == "mine");
}

TEST_CASE_METHOD(Workplace, "JSON lines, --dry-run and the manifest name sidecars") {
  add("d/a.png", picture);
  add("d/a.txt", "0 0.25 0.5 0.1 0.2\n");
  add("d/a.caption", "x");
  add("d/a_mask.png", picture);
  CHECK(
      qturn(augment({"d", "--dry-run"})).out ==
      "d/a.png -> out/a__flop.png (flop, re-encoded without loss, with d/a.txt -> out/a__flop.txt, "
      "with d/a.caption -> out/a__flop.caption, with d/a_mask.png -> out/a__flop_mask.png)\n");
  const json named = {{{"input", "d/a.caption"}, {"output", "out/a__flop.caption"}}};
  for (const char* dry_run : {"--dry-run", "-q"}) {
    const Result result = qturn(augment({"d", "--json", dry_run}));
    CHECK(json::parse(result.out)["sidecars"] == named);
  }
  const auto line = json::parse(
      content("out/manifest.jsonl").substr(content("out/manifest.jsonl").find('\n') + 1));
  REQUIRE(line["sidecars"].size() == 1);
  CHECK(line["sidecars"][0]["output"] == "a__flop.caption");
  CHECK(line["sidecars"][0]["source"] == line["sidecars"][0]["result"]);
  CHECK(line["masks"][0]["output"] == "a__flop_mask.png");
}

TEST_CASE_METHOD(Workplace, "Another run finds out again what no manifest says of sidecars") {
  add("d/a.png", picture);
  add("d/a.xmp", xmp("1"));
  add("d/a.caption", "x");
  done(augment({"d"}));
  const auto lines = [&] {
    const std::string manifest = content("out/manifest.jsonl");
    return manifest.substr(manifest.find('\n'));
  };
  const std::string before = lines();
  fs::remove(path() / "out/manifest.jsonl");
  done(augment({"d", "--skip-existing"}));
  CHECK(lines() == before);
}

TEST_CASE_METHOD(Workplace, "The memory of sidecars counts") {
  add("d/a.png", picture);
  add("d/a.mov", std::string(20 << 20, 'x'));
  failed(augment({"d", "--memory", "16MiB"}), "it and the files that belong to it need");
  const Result larger = done(augment({"d", "--memory", "64MiB", "--overwrite"}));
  // One long word is looked at once, although it may be the name of a coordinate anywhere.
  CHECK(larger.cpu_seconds < 5);
}

}  // namespace augment_sidecars_test
