// augment: which variants, what they are called, the manifest, and the labels it will not ruin.
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "src/files/content_hash.hpp"
#include "src/inputs/variants.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace augment_test {

using namespace cli;
using qturn::Orientation;
using Json = nlohmann::json;

namespace {

const Picture picture = random_picture(9, 5);

std::string hash(const std::string& content) {
  return qturn::digits_of(qturn::hash_of(std::as_bytes(std::span(content))));
}

/// The lines of a manifest that are about variants of pictures.
std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (const Json json = Json::parse(line); json.contains("key")) lines.push_back(json);
  return lines;
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "augment writes all eight variants of each picture, and a manifest of them") {
  add("data/x/a.png", tagged_png(turned(picture, Orientation::rotate270), 6));
  add("data/b.png", png(picture));
  done({"augment", "data", "-o", "out"});

  Names wanted = {"manifest.jsonl"};
  for (const Orientation orientation : qturn::all_orientations) {
    for (const std::string stem : {"x/a", "b"}) {
      const std::string file = stem + "__" + std::string(name(orientation)) + ".png";
      CAPTURE(file);
      wanted.insert(file);
      const Decoded result = decoded(path() / "out" / file);
      CHECK(result.stored == Orientation::identity);
      CHECK(result.pages.front() == turned(picture, orientation));
    }
  }
  CHECK(files("out") == wanted);
  CHECK(content("out/b__identity.png") == content("data/b.png"));

  const std::vector<Json> manifest = lines_of(content("out/manifest.jsonl"));
  REQUIRE(manifest.size() == 16);
  for (std::size_t i = 0; i < manifest.size(); ++i) {
    const int number = static_cast<int>(i % 8) + 1;
    const std::string word(name(static_cast<Orientation>(number)));
    const std::string key = i < 8 ? "b.png" : "x/a.png";
    const std::string output = key.substr(0, key.size() - 4) + "__" + word + ".png";
    const std::string route = i == 0 ? "copied" : i == 15 ? "tagged" : "reencoded";
    CHECK(manifest[i] == Json{{"key", key},
                              {"variant", word},
                              {"orientation", number},
                              {"output", output},
                              {"route", route},
                              {"source", hash(content("data/" + key))},
                              {"result", hash(content("out/" + output))}});
  }
}

TEST_CASE_METHOD(Workplace, "Option --variants takes all, rotations or a list of names") {
  add("data/a.png", png(picture));
  const auto written = [&](const std::string& variants) {
    fs::remove_all(path() / "out");
    done({"augment", "data", "-o", "out", "--variants", variants});
    Names names = files("out");
    CHECK(names.erase("manifest.jsonl") == 1);
    return names;
  };
  CHECK(written("all").size() == 8);
  CHECK(written("rotations") ==
        Names{"a__identity.png", "a__rotate90.png", "a__rotate180.png", "a__rotate270.png"});
  CHECK(written("hflip,ccw") == Names{"a__flop.png", "a__rotate270.png"});
}

TEST_CASE_METHOD(Workplace,
                 "Option --random chooses by seed and key, whatever else is there and on any "
                 "number of threads") {
  for (int i = 0; i < 12; ++i)
    add("data/" + std::to_string(i) + ".png", png(random_picture(5 + i, 7)));
  done({"augment", "data", "-o", "one", "--random", "3", "--seed", "7", "-j", "1"});
  done({"augment", "data", "-o", "two", "--random", "3", "--seed", "7", "-j", "8"});
  CHECK(tree("one") == tree("two"));
  done({"augment", "data/4.png", "-o", "alone", "--random", "3", "--seed", "7"});

  Names wanted;
  for (int i = 0; i < 12; ++i)
    for (const Orientation orientation : qturn::random_variants(std::to_string(i) + ".png", 3, 7))
      wanted.insert(std::to_string(i) + "__" + std::string(name(orientation)) + ".png");
  Names written = files("one");
  written.erase("manifest.jsonl");
  CHECK(written == wanted);
  for (const std::string& file : files("alone")) {
    if (file != "manifest.jsonl") CHECK(written.contains(file));
  }

  done({"augment", "data", "-o", "zero", "--random", "3"});
  CHECK(files("zero") != files("one"));
  done({"augment", "data", "-o", "zero2", "--random", "3", "--seed", "0"});
  CHECK(tree("zero") == tree("zero2"));
}

TEST_CASE_METHOD(Workplace, "The example in docs/augment.md is what the program does") {
  add("data/x/a.jpg", jpeg(smooth_picture(16, 8)));
  done({"augment", "data", "-o", "out", "--random", "3"});
  CHECK(files("out") ==
        Names{"x/a__rotate180.jpg", "x/a__transpose.jpg", "x/a__transverse.jpg", "manifest.jsonl"});
  CHECK_THAT(content("out/manifest.jsonl"),
             ContainsSubstring(
                 "{\"key\":\"x/a.jpg\",\"variant\":\"rotate180\",\"orientation\":3,\"output\":\"x/"
                 "a__rotate180.jpg\",\"route\":\"lossless\",\"source\":"));
}

TEST_CASE_METHOD(Workplace,
                 "The manifest has the label, the masks and the COCO files of each picture") {
  add("data/images/a.png", png(picture));
  add("data/labels/a.txt", "0 0.25 0.5 0.1 0.2\n");
  add("data/masks/a.png", png(picture));
  add("data/annotations/x.json",
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}], "annotations": []})");
  const Words words = {"augment", "data", "-o", "out", "--variants", "flop"};
  done(words);
  const std::string manifest = content("out/manifest.jsonl");
  const auto file = [&](const std::string& input, const std::string& output) {
    return Json{{"output", output},
                {"source", hash(content("data/" + input))},
                {"result", hash(content("out/" + output))}};
  };
  const std::vector<Json> lines = lines_of(manifest);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["label"] == file("labels/a.txt", "labels/a__flop.txt"));
  CHECK(lines[0]["masks"] == Json::array({file("masks/a.png", "masks/a__flop.png")}));
  CHECK(lines[0]["labels_in"] == Json::array({"annotations/x.json"}));

  // Another run finds out again what no manifest says, but for the options.
  fs::remove(path() / "out/manifest.jsonl");
  std::vector<std::string> again = words;
  again.push_back("--skip-existing");
  done(again);
  CHECK(lines_of(content("out/manifest.jsonl")) == lines);
}

TEST_CASE_METHOD(
    Workplace,
    "Option --format and --others work with augment; other files are not in the manifest") {
  add("data/a.png", png(picture));
  add("data/classes.csv", "cat,dog");
  done({"augment", "data", "-o", "out", "--variants", "flip,flop", "--format", "tiff", "--others",
        "copy"});
  CHECK(files("out") == Names{"a__flip.tif", "a__flop.tif", "classes.csv", "manifest.jsonl"});
  CHECK(pixels_of(path() / "out/a__flip.tif") == turned(picture, Orientation::flip));
  CHECK(lines_of(content("out/manifest.jsonl")).size() == 2);
}

TEST_CASE("Files that would be left untrue stop the run, with what to do") {
  const std::pair<const char*, const char*> labels[] = {
      {"data/labels/a.pts", "12 3\n"},
      {"Annotations/a.xml", "<o l='12' t='3'/>"},
  };
  for (const auto& [label, content] : labels) {
    CAPTURE(label);
    Workplace workplace;
    workplace.add("data/a.png", png(picture));
    workplace.add(label, content);
    workplace.refused({"augment", "data", "-o", "out"},
                      {": has the name of a picture, and 2 numbers",
                       "; --others leave turns the pictures without such files, --others copy "
                       "copies them as they are, --exclude '*."});
    workplace.done({"augment", "data", "-o", "out", "--others", "leave"});
    CHECK(workplace.files("out").size() == 9);
  }
}

TEST_CASE_METHOD(
    Workplace,
    "A mask of no picture is refused where it would get another variant than its picture") {
  add("data/images/b.png", png(picture));
  add("data/masks/a.png", png(picture));
  refused({"augment", "data", "-o", "out", "--random", "2"},
          "data/masks/a.png: is a mask by its name or its folder");
  done({"augment", "data", "-o", "out"});
  CHECK(files("out").contains("masks/a__flop.png"));
}

TEST_CASE_METHOD(Workplace,
                 "A picture that fails is named in the manifest, and the exit status is 1") {
  add("data/a.png", png(picture));
  add("data/b.png", "text");
  failed({"augment", "data", "-o", "out", "--variants", "cw"});
  const std::vector<Json> manifest = lines_of(content("out/manifest.jsonl"));
  REQUIRE(manifest.size() == 2);
  CHECK(manifest[0]["key"] == "b.png");
  CHECK_THAT(manifest[0]["failed"].get<std::string>(), ContainsSubstring("not a picture"));
  CHECK(manifest[1]["key"] == "a.png");
}

TEST_CASE_METHOD(Workplace,
                 "A run that goes on where another stopped has a manifest of all there is") {
  add("data/a.png", png(picture));
  add("data/note.csv", "1,2");
  const Words words = {"augment", "data", "-o", "out", "--others", "copy"};
  done(words);
  const auto whole = tree("out");
  fs::remove(path() / "out/a__flip.png");

  std::vector<std::string> again = words;
  again.push_back("--skip-existing");
  done(again);
  CHECK(tree("out") == whole);
}

TEST_CASE_METHOD(Workplace,
                 "A manifest does not say with which options unknown results were made") {
  add("data/a.png", png(picture));
  add("data/b.png", png(picture));
  const auto run = [&](const Words& more) {
    return qturn(with({"augment", "data", "-o", "out", "--variants", "flop"}, more)).exit_code;
  };
  const auto says_options = [&] {
    const std::string manifest = content("out/manifest.jsonl");
    return Json::parse(manifest.substr(0, manifest.find('\n'))).contains("options");
  };
  CHECK(run({}) == 0);
  CHECK(run({"--skip-existing"}) == 0);
  CHECK(says_options());
  // The manifest of a run that made another part of what is there.
  const std::string manifest = content("out/manifest.jsonl");
  add("out/manifest.jsonl", manifest.substr(0, manifest.find("{\"key\":\"b.png")));
  CHECK(run({"--skip-existing"}) == 0);
  CHECK_FALSE(says_options());
  fs::remove(path() / "out/manifest.jsonl");
  CHECK(run({"--skip-existing"}) == 0);
  CHECK_FALSE(says_options());
}

TEST_CASE("The manifest replaces no other file unless asked to") {
  Workplace workplace;
  workplace.add("data/a.png", png(picture));
  workplace.add("out/manifest.jsonl", "another run's");
  const Result exists =
      workplace.refused({"augment", "data", "-o", "out"}, "out/manifest.jsonl exists already");
  CHECK(workplace.files("out") == Names{"manifest.jsonl"});
  workplace.done({"augment", "data", "-o", "out", "--overwrite"});

  workplace.add("data/manifest.jsonl", "the data set's own");
  workplace.refused({"augment", "data", "-o", "new", "--others", "copy"},
                    "data/manifest.jsonl: its copy would be in the place of the manifest; "
                    "--exclude 'manifest.jsonl'");
  CHECK_FALSE(workplace.exists("new"));
}

TEST_CASE_METHOD(Workplace, "A manifest is not written through a symbolic link") {
  add("data/a.png", png(picture));
  add("kept.jpg", "the only one");
  add("out/b.txt", "");
  fs::create_symlink("../kept.jpg", path() / "out/manifest.jsonl");
  refused({"augment", "data", "-o", "out", "--overwrite"}, "out/manifest.jsonl is a symbolic link");
  CHECK(content("kept.jpg") == "the only one");
}

TEST_CASE_METHOD(
    Workplace,
    "augment compresses PNGs fast, other operations small, unless --png says otherwise") {
  add("a.png", png(smooth_picture(300, 200)));
  const auto bytes = [&](const std::string& out, Words words, const std::string& file) {
    words.insert(words.end(), {"a.png", "-o", out});
    done(words);
    return content(out + "/" + file);
  };
  const std::string fast = bytes("1/", {"rotate90", "--png", "fast"}, "a.png");
  const std::string small = bytes("2/", {"rotate90"}, "a.png");
  CHECK(fast.size() > small.size());
  CHECK(bytes("3", {"augment"}, "a__rotate90.png") == fast);
  CHECK(bytes("4", {"augment", "--png", "small"}, "a__rotate90.png") == small);
}

TEST_CASE_METHOD(Workplace,
                 "Option --random refuses pictures that belong together, unless --group says how") {
  const std::string picture = png(random_picture(3, 2));
  struct Set {
    std::string first, second, group;  // "#" stands for a number
  };
  const Set sets[] = {{"x/rgb/#.png", "x/depth/#.png", "(?:.*/)?(?:x/depth|x/rgb)/(.*)"},
                      {"img/#.png", "gt/#.png", "(?:.*/)?(?:gt|img)/(.*)"},
                      {"x/p#.png", "x/p#_seg.png", "(.*?)(_seg)?"},
                      {"x/p#.png", "x/p# (depth).png", "(.*?)( \\(depth\\))?"},
                      {"x/#-rgb.png", "x/#-nir.png", "(.*?)(-nir|-rgb)?"}};
  for (const Set& set : sets) {
    fs::remove_all(path() / "in");
    fs::remove_all(path() / "out");
    CAPTURE(set.second);
    const auto named = [](std::string name, int number) {
      return name.replace(name.find('#'), 1, std::to_string(number));
    };
    tests::Members members;
    for (const std::string& name : {set.first, set.second})
      for (int i = 0; i < 8; ++i) members.emplace_back(named(name, i), picture);
    for (const auto& [name, content] : members) add(fs::path("in") / name, content);
    add("in.tar", tests::tar(members));
    const Words words = {"augment", "in", "-o", "out", "--random", "2"};
    refused(words, "; --group '" + set.group + "' draws once");
    Words tar = {"augment", "in.tar", "-o", "out.tar", "--random", "2"};
    refused(tar, "; --group '");
    refused({"augment", "in", "-o", "out.tar", "--random", "2"}, "; --group '" + set.group);
    done(with(words, {"--group", "path"}));
    done(with(words, {"--group", set.group, "--overwrite"}));
    done(with(tar, {"--group", set.group}));
    std::set<std::string> in_tar;
    for (const auto& [name, content] : tests::members_of(content("out.tar"))) in_tar.insert(name);
    fs::remove_all(path() / "out");
    done(with(words, {"--group", set.group}));
    const auto made = files("out");
    for (int i = 0; i < 8; ++i) {
      for (const Orientation orientation : qturn::all_orientations) {
        const auto name = [&](const std::string& of) {
          std::string file = named(of, i);
          return file.insert(file.rfind('.'), "__" + std::string(qturn::name(orientation)));
        };
        const bool is_made = std::ranges::count(made, name(set.first)) > 0;
        CHECK(is_made == (std::ranges::count(made, name(set.second)) > 0));
        CHECK(is_made == in_tar.contains(name(set.first)));
        CHECK(is_made == in_tar.contains(name(set.second)));
      }
    }
    fs::remove(path() / "out.tar");
  }
}

TEST_CASE_METHOD(Workplace, "Option --random draws for pictures that only look alike") {
  const std::string small = png(random_picture(3, 2)), large = png(random_picture(6, 4));
  for (const char* name : {"cat_1", "cat_2", "cat_3", "IMG_1", "IMG_10", "a", "b_seg"})
    add(fs::path("in") / (std::string(name) + ".png"), small);
  add("in/a_large.png", large);
  for (const char* folder : {"cat", "dog"})
    for (int i = 0; i < 4; ++i) add(fs::path("in") / folder / (std::to_string(i) + ".png"), small);
  done({"augment", "in", "-o", "out", "--random", "2"});
  done({"augment", "in", "-o", "out.tar", "--random", "2"});
  done({"augment", "out.tar", "-o", "more.tar", "--random", "1"});
  refused({"augment", "in", "-o", "x", "--random", "2", "--group", "("},
          "'(' is not a regular expression");
}

}  // namespace augment_test
