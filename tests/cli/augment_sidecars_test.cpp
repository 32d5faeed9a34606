// augment with sidecars: files of a picture's stem that are neither pictures, masks nor labels.
// They go with each variant, as one outcome with it; XMP is turned, others are copied.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <nlohmann/json.hpp>

#include "src/metadata/xmp.hpp"
#include "tests/cli/labelled.hpp"
#include "tests/fixtures/metadata.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli::augment;
using cli::Result;
using cli::results;
using cli::Workplace;
using nlohmann::json;
using Names = std::set<std::string>;

namespace {

const std::string picture = cli::png(cli::labelled_picture);

std::string xmp(const std::string& orientation) {
  return qturn::tests::xmp_packet_with("tiff:Orientation='" + orientation + "'");
}

}  // namespace

TEST_CASE("Files of a picture's stem are copied with each variant, and counted") {
  Workplace workplace;
  workplace.add("d/x/A.PNG", picture);
  workplace.add("d/x/a.caption", "a cat on the left");
  workplace.add("d/x/a.CLS", "3");
  workplace.add("d/x/a.json", R"({"author": "me"})");
  workplace.add("d/x/b.png", picture);
  workplace.add("d/x/b.txt", "");
  workplace.add("d/x/ab.cls", "of nothing");
  workplace.add("d/x/a.b.cls", "of another stem");
  workplace.add("d/x/a", "without a suffix");
  const Result result =
      workplace.qturn({"augment", "d", "-o", "out", "--variants", "identity,flop"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err,
             ContainsSubstring("qturn: other files of the stem of a picture, copied with each of "
                               "its variants: 1 .caption, 1 .cls, 1 .json\n"));
  CHECK_THAT(result.err, ContainsSubstring("qturn: 4 of 4 variants of 2 pictures written, 2 of "
                                           "them copied byte for byte; "));
  CHECK_THAT(result.err, ContainsSubstring("qturn: written with them: 2 labels, 6 sidecars\n"));
  CHECK_THAT(result.err,
             ContainsSubstring("left out, because they are not pictures: 2 .cls, 1 no suffix\n"));
  CHECK(results(workplace) == Names{"x/A__identity.PNG", "x/A__flop.PNG", "x/A__identity.caption",
                                    "x/A__flop.caption", "x/A__identity.CLS", "x/A__flop.CLS",
                                    "x/A__identity.json", "x/A__flop.json", "x/b__identity.png",
                                    "x/b__flop.png", "x/b__identity.txt", "x/b__flop.txt"});
  CHECK(workplace.content("out/x/A__flop.caption") == "a cat on the left");
}

TEST_CASE("The XMP sidecars of a picture are turned with it") {
  Workplace workplace;
  workplace.add("d/a.png", cli::tagged_png(cli::labelled_picture, 6));
  workplace.add("d/a.xmp", xmp("6"));
  workplace.add("d/a.png.xmp", xmp("6"));
  workplace.add("d/b.png", picture);
  workplace.add("d/b.xmp", xmp("1").substr(0, 90));
  const Result result = augment(workplace, {"d", "--format", "tiff"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("XMP sidecars of 2 of 2 pictures turn with them"));
  CHECK_THAT(result.err, ContainsSubstring("qturn: d/b.png: d/b.xmp: "));
  CHECK_THAT(result.err, ContainsSubstring("--exclude '*.xmp' leaves such files out"));
  CHECK(results(workplace) == Names{"a__flop.tif", "a__flop.xmp", "a__flop.tif.xmp"});
  for (const char* name : {"out/a__flop.xmp", "out/a__flop.tif.xmp"})
    CHECK(qturn::read_xmp(workplace.content(name)).orientation == "1");
}

TEST_CASE("A caption beside a picture is copied, what may be a label of another kind is refused") {
  const auto run = [](const std::string& name, const std::string& text,
                      const std::vector<std::string>& more = {}) {
    Workplace workplace;
    workplace.add("d/images/a.png", picture);
    workplace.add("d/images/" + name, text);
    workplace.add("d/labels/a.txt", "0 0.25 0.5 0.1 0.2\n");
    std::vector<std::string> words = {"d"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = augment(workplace, words);
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
  for (const std::string name : {"a.pts", "a.csv", "a.jsonl"}) {
    CAPTURE(name);
    CHECK(run(name, "n_points: 2\n{\n30.5 40\n50 60\n}\n") ==
          "qturn: d/images/" + name +
              ": may say where something is in a picture, and would not be turned with it; convert "
              "it to YOLO, Pascal VOC, LabelMe, COCO or CSV; --exclude '*" +
              fs::path(name).extension().string() +
              "' leaves such files out; --labels none turns each picture by itself\n");
  }
  // Of another format than the one that is asked for.
  CHECK(run("a.xml", "<annotation/>", {"--labels", "yolo"}) == "left");
  CHECK(run("a.caption", "x", {"--labels", "yolo"}) == "copied");
  CHECK(run("a.caption", "x", {"--exclude", "*.caption"}) == "left");
  for (const auto& [name, text] : {std::pair{"a.txt", "cat 0.25 0.5 0.1 0.2"},
                                   {"a.json", R"({"box2d": [1, 2.5,3 , 4]})"},
                                   {"a.json", R"({"x": 1, "y": 2})"},
                                   {"a.xml", "<o><xmin>1</xmin></o>"}}) {
    CAPTURE(text);
    CHECK_THAT(run(name, text), ContainsSubstring("; --labels none turns each picture by itself"));
  }
}

TEST_CASE("A link beside a picture is copied with --follow alone") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("elsewhere", "private");
  fs::create_symlink("../elsewhere", workplace.path() / "d/a.caption");
  CHECK(augment(workplace, {"d"}).exit_code == 0);
  CHECK(results(workplace) == Names{"a__flop.png"});
  CHECK(augment(workplace, {"d", "--follow", "--overwrite"}).exit_code == 0);
  CHECK(workplace.content("out/a__flop.caption") == "private");
}

TEST_CASE("A picture of the same stem that is not selected is not copied") {
  const std::string jpeg = cli::jpeg(cli::labelled_picture);
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
      const Result result = augment(workplace, inputs);
      INFO(result.err);
      CHECK(result.exit_code == 0);
      const std::string folder = inputs.front() == "--files-from" ? "d/" : "";
      CHECK(results(workplace) == Names{folder + "a__flop.png", folder + "a__flop.caption"});
      fs::remove_all(workplace.path() / "out");
    }
  }
}

TEST_CASE("What belongs to another picture of the run is not replaced") {
  Workplace workplace;
  for (const std::string name : {"d/a", "d/a__flop"}) {
    workplace.add(name + ".png", picture);
    workplace.add(name + ".caption", name);
  }
  const auto before = workplace.tree("d");
  const Result refused = workplace.qturn({"augment", "d/a.png", "d/a__flop.png", "-o", "d",
                                          "--overwrite", "--variants", "rotate180,flop"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("is an input as well"));
  CHECK(workplace.tree("d") == before);
  // Also if no picture is in the way.
  fs::remove(workplace.path() / "d/a__flop.png");
  workplace.add("d/b.png", picture);
  fs::rename(workplace.path() / "d/a__flop.caption", workplace.path() / "d/b.caption");
  fs::create_hard_link(workplace.path() / "d/b.caption", workplace.path() / "d/a__flop.caption");
  const Result linked = workplace.qturn(
      {"augment", "d/a.png", "d/b.png", "-o", "d", "--overwrite", "--variants", "flop"});
  CHECK(linked.exit_code == 2);
  CHECK_THAT(linked.err, ContainsSubstring("d/a__flop.caption: is an input as well"));
}

TEST_CASE("A file of the stem of two pictures is refused, whatever variants are drawn") {
  for (const std::string other : {"d/a.bmp", "d/A.png"}) {
    CAPTURE(other);
    Workplace workplace;
    workplace.add("d/a.png", picture);
    workplace.add(other, picture);
    workplace.add("d/a.caption", "x");
    for (const char* seed : {"1", "2", "3"}) {
      const Result refused =
          workplace.qturn({"augment", "d", "-o", "out", "--random", "1", "--seed", seed});
      CHECK(refused.exit_code == 2);
      CHECK_THAT(refused.err, StartsWith("qturn: d/a.caption belongs to d/"));
    }
  }
}

TEST_CASE("What is made once for all pictures and what belongs to one have places of their own") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.csv", "a cat");
  workplace.add("d/a__flop.csv", "filename,class,xmin,ymin,xmax,ymax\na.png,cat,1,1,3,4\n");
  const Result refused = augment(workplace, {"d"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "qturn: d/a.csv and d/a__flop.csv would both be written to out/a__flop.csv; run them one "
        "after the other, each with its own output\n");
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE("A text among labels that are beside pictures is not a caption") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.txt", "a cat");
  workplace.add("d/b.png", picture);
  workplace.add("d/b.txt", "0 0.25 0.5 0.1 0.2\n");
  const Result result = augment(workplace, {"d"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, StartsWith("qturn: d/a.txt: is not a YOLO label"));
}

TEST_CASE("The summary counts variants, and a reason that all of a picture share is said once") {
  Workplace workplace;
  workplace.add("d/bad.png", "not a picture");
  workplace.add("d/fine.png", picture);
  workplace.add("d/fine_mask.png", picture);
  workplace.add("d/README", "");
  const Result result =
      workplace.qturn({"augment", "d", "-o", "out", "--variants", "cw,ccw", "--others", "copy"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("qturn: masks of 1 of 2 pictures turn with them\n"));
  CHECK_THAT(result.err,
             ContainsSubstring("qturn: 2 of 4 variants of 2 pictures written, 2 failed; ") &&
                 ContainsSubstring("qturn: written with them: 2 masks\n") &&
                 ContainsSubstring("qturn: copied as they are: 1 other file\n"));
  const std::size_t first = result.err.find("qturn: d/bad.png: ");
  REQUIRE(first != std::string::npos);
  CHECK(result.err.find("qturn: d/bad.png: ", first + 1) == std::string::npos);
}

TEST_CASE("Option --strict refuses a file that would be copied, but not XMP") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.xmp", xmp("1"));
  CHECK(augment(workplace, {"d", "--strict"}).exit_code == 0);
  fs::remove_all(workplace.path() / "out");
  workplace.add("d/a.caption", "x");
  const Result refused = augment(workplace, {"d", "--strict"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "qturn: d/a.caption would be copied as it is with each variant of its picture (--strict); "
        "--exclude '*.caption' leaves such files out\n");
  CHECK_FALSE(workplace.exists("out"));
  CHECK(augment(workplace, {"d", "--strict", "--exclude", "*.caption"}).exit_code == 0);
}

TEST_CASE("No file is copied twice, and none with labels none") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.caption", "x");
  workplace.add("d/classes.names", "cat");
  CHECK(augment(workplace, {"d", "--others", "copy"}).exit_code == 0);
  CHECK(results(workplace) == Names{"a__flop.png", "a__flop.caption", "classes.names"});
  CHECK(
      augment(workplace, {"d", "--labels", "none", "--others", "copy", "--overwrite", "-o", "out2"})
          .exit_code == 2);
  CHECK(workplace.qturn({"augment", "d", "-o", "none", "--variants", "flop", "--labels", "none"})
            .exit_code == 0);
  CHECK(workplace.files("none") == Names{"a__flop.png", "manifest.jsonl"});
}

TEST_CASE("A sidecar that belongs to two pictures is refused before the start") {
  Workplace workplace;
  workplace.add("d/a.bmp", picture);
  workplace.add("d/a.png", picture);
  workplace.add("d/a.caption", "x");
  const Result refused = augment(workplace, {"d"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, StartsWith("qturn: d/a.caption belongs to d/a.bmp and to d/a.png; "
                                     "turn them one after the other"));
  CHECK(augment(workplace, {"d", "--exclude", "*.caption"}).exit_code == 0);
}

TEST_CASE("A picture and its sidecars are one outcome") {
  Workplace workplace;
  workplace.add("d/bad.png", "not a picture");
  workplace.add("d/bad.caption", "x");
  workplace.add("d/fine.png", picture);
  workplace.add("d/fine.caption", "x");
  CHECK(augment(workplace, {"d"}).exit_code == 1);
  CHECK(results(workplace) == Names{"fine__flop.png", "fine__flop.caption"});
  // A half sample is refused, or made again.
  fs::remove(workplace.path() / "out/fine__flop.caption");
  workplace.add("d/bad.png", picture);
  const Result half = augment(workplace, {"d", "--skip-existing"});
  CHECK(half.exit_code == 2);
  CHECK_THAT(half.err,
             StartsWith("qturn: out/fine__flop.png exists, but not all that belongs to it"));
  CHECK_THAT(augment(workplace, {"d", "--resume"}).err,
             ContainsSubstring("out/fine__flop.caption the interrupted run has written one"));
  CHECK(augment(workplace, {"d", "--update"}).exit_code == 0);
  const auto before = workplace.tree("out");
  CHECK(before.size() == 5);
  CHECK(augment(workplace, {"d", "--skip-existing"}).exit_code == 0);
  CHECK(workplace.tree("out") == before);
  fs::remove_all(workplace.path() / "out");
  workplace.add("out/fine__flop.caption", "mine");
  CHECK_THAT(augment(workplace, {"d"}).err,
             StartsWith("qturn: out/fine__flop.caption exists already"));
  CHECK(workplace.content("out/fine__flop.caption") == "mine");
}

TEST_CASE("JSON lines, --dry-run and the manifest name sidecars") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.txt", "0 0.25 0.5 0.1 0.2\n");
  workplace.add("d/a.caption", "x");
  workplace.add("d/a_mask.png", picture);
  CHECK(augment(workplace, {"d", "--dry-run"}).out ==
        "d/a.png -> out/a__flop.png (flop, losslessly, with d/a.txt -> out/a__flop.txt, with "
        "d/a.caption -> out/a__flop.caption, with d/a_mask.png -> out/a__flop_mask.png)\n");
  const json named = {{{"input", "d/a.caption"}, {"output", "out/a__flop.caption"}}};
  for (const char* dry_run : {"--dry-run", "-q"}) {
    const Result result = augment(workplace, {"d", "--json", dry_run});
    CHECK(json::parse(result.out)["sidecars"] == named);
  }
  const auto line =
      json::parse(workplace.content("out/manifest.jsonl")
                      .substr(workplace.content("out/manifest.jsonl").find('\n') + 1));
  REQUIRE(line["sidecars"].size() == 1);
  CHECK(line["sidecars"][0]["output"] == "a__flop.caption");
  CHECK(line["sidecars"][0]["source"] == line["sidecars"][0]["result"]);
  CHECK(line["masks"][0]["output"] == "a__flop_mask.png");
}

TEST_CASE("Another run finds out again what no manifest says of sidecars") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.xmp", xmp("1"));
  workplace.add("d/a.caption", "x");
  CHECK(augment(workplace, {"d"}).exit_code == 0);
  const auto lines = [&] {
    const std::string manifest = workplace.content("out/manifest.jsonl");
    return manifest.substr(manifest.find('\n'));
  };
  const std::string before = lines();
  fs::remove(workplace.path() / "out/manifest.jsonl");
  CHECK(augment(workplace, {"d", "--skip-existing"}).exit_code == 0);
  CHECK(lines() == before);
}

TEST_CASE("The memory of sidecars counts") {
  Workplace workplace;
  workplace.add("d/a.png", picture);
  workplace.add("d/a.mov", std::string(20 << 20, 'x'));
  const Result refused = augment(workplace, {"d", "--memory", "16MiB"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("it and the files that belong to it need"));
  CHECK(augment(workplace, {"d", "--memory", "64MiB", "--overwrite"}).exit_code == 0);
}
