// augment --replay: the same tree again, or a failure that names what differs.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include "tests/cli/cli_labelled.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli::Result;
using cli::Workplace;
using Words = std::vector<std::string>;

namespace {

void add_labelled(const Workplace& workplace) {
  for (const char* name : {"a", "b", "c"}) {
    workplace.add(fmt::format("data/images/{}.png", name), cli::png(cli::labelled_picture));
    workplace.add(fmt::format("data/labels/{}.txt", name), "0 0.25 0.5 0.1 0.20\n");
  }
  workplace.add("data/images/d.jpg", cli::jpeg(cli::smooth_picture(40, 24)));
  workplace.add("data/masks/a.png", cli::png(cli::labelled_picture));
  workplace.add("data/annotations/x.json",
                R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],)"
                R"( "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 2, 3, 1]}]})");
}

void add_data_set(const Workplace& workplace) {
  workplace.add("data/data.yaml", "path: ../data\ntrain: images\nval: val.txt\nnames: [cat]\n");
  workplace.add("data/val.txt", "./images/b.png\n./images/c.png\n");
}

Result replay(const Workplace& workplace, const Words& more = {}) {
  Words words = {"augment", "data", "-o", "again", "--replay", "out/manifest.jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  return workplace.qturn(words);
}

void make(const Workplace& workplace, const Words& more) {
  Words words = {"augment", "data", "-o", "out"};
  words.insert(words.end(), more.begin(), more.end());
  const Result result = workplace.qturn(words);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
}

/// The text with the first `from` in it replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("A replay writes the tree again byte for byte, with labels, masks and COCO files") {
  for (const Words& options : {Words{}, Words{"--random", "3", "--seed", "5"},
                               Words{"--variants", "flop,cw", "--format", "tiff"},
                               Words{"--labels", "none", "--jpeg", "planar", "--include", "*.jpg"},
                               Words{"--labels", "yolo", "--keypoints", "none", "--masks", "none",
                                     "--labels-drawn-on", "upright"}}) {
    CAPTURE(options);
    Workplace workplace;
    add_labelled(workplace);
    add_data_set(workplace);
    make(workplace, options);
    const Result result = replay(workplace);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    CHECK(workplace.tree("again") == workplace.tree("out"));
    CHECK_FALSE(workplace.exists("again/.qturn-journal"));
  }
}

TEST_CASE("A replay copies what --others copy had copied, and nothing else") {
  Workplace workplace;
  workplace.add("data/a.png", cli::png(cli::labelled_picture));
  workplace.add("data/classes.csv", "cat,dog");
  make(workplace, {"--others", "copy"});
  workplace.add("data/b.png", cli::png(cli::labelled_picture));
  workplace.add("data/new.csv", "1");
  const Result result = replay(workplace);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err,
             ContainsSubstring("left out, because the manifest does not list them: 1 picture\n"));
  CHECK(workplace.tree("again") == workplace.tree("out"));

  workplace.add("data/classes.csv", "dog,cat");
  const Result changed = replay(workplace, {"--overwrite"});
  CHECK(changed.exit_code == 1);
  CHECK_THAT(changed.err, ContainsSubstring("data/classes.csv is not the file that the manifest"));
}

TEST_CASE("A replay on another machine may find labels and masks in other places") {
  Workplace workplace;
  workplace.add("data/a.png", cli::png(cli::labelled_picture));
  workplace.add("l/a.txt", "0 0.25 0.5 0.1 0.20\n");
  workplace.add("m/a.png", cli::png(cli::labelled_picture));
  make(workplace, {"--labels", "yolo:l", "--masks", "m"});
  fs::rename(workplace.path() / "l", workplace.path() / "l2");
  CHECK(replay(workplace).exit_code == 2);
  const Result result = replay(workplace, {"--labels", "yolo:l2"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(workplace.tree("again") == workplace.tree("out"));
}

TEST_CASE("A replay without an input that the manifest lists is refused by name") {
  Workplace workplace;
  add_labelled(workplace);
  make(workplace, {});
  fs::rename(workplace.path() / "data/images/b.png", workplace.path() / "b.png");
  const Result picture = replay(workplace);
  CHECK(picture.exit_code == 2);
  CHECK_THAT(picture.err, ContainsSubstring("out/manifest.jsonl lists images/b.png, which cannot "
                                            "be made of these inputs"));
  fs::rename(workplace.path() / "b.png", workplace.path() / "data/images/b.png");
  fs::remove(workplace.path() / "data/annotations/x.json");
  const Result coco = replay(workplace);
  CHECK(coco.exit_code == 2);
  CHECK_THAT(coco.err, ContainsSubstring("lists annotations/x.json, which cannot be made"));
  CHECK_FALSE(workplace.exists("again"));
}

TEST_CASE("A replay fails by name where an input has changed, and writes the others") {
  const std::pair<std::string, std::string> changes[] = {
      {"data/images/a.png", cli::png(cli::random_picture(9, 5, 3, qturn::SampleFormat::u8, 7))},
      {"data/labels/a.txt", "1 0.25 0.5 0.1 0.20\n"},
      {"data/masks/a.png", cli::png(cli::random_picture(9, 5, 1))},
  };
  for (const auto& [name, content] : changes) {
    CAPTURE(name);
    Workplace workplace;
    add_labelled(workplace);
    make(workplace, {"--variants", "cw"});
    const std::string before = workplace.content(name);
    workplace.add(name, content);
    const Result result = replay(workplace);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, ContainsSubstring("qturn: data/images/a.png: " + name +
                                             " is not the file that the manifest was made of"));
    CHECK_FALSE(workplace.exists("again/images/a__rotate90.png"));
    CHECK_FALSE(workplace.exists("again/labels/a__rotate90.txt"));
    CHECK(workplace.exists("again/images/b__rotate90.png"));
    // Set right, it is done by the run that resumes this one.
    workplace.add(name, before);
    const Result resumed = replay(workplace, {"--resume"});
    INFO(resumed.err);
    CHECK(resumed.exit_code == 0);
    CHECK(workplace.content("again/manifest.jsonl") == workplace.content("out/manifest.jsonl"));
  }
  Workplace workplace;
  add_labelled(workplace);
  make(workplace, {"--variants", "cw"});
  workplace.add("data/masks/b_mask.png", cli::png(cli::labelled_picture));
  CHECK_THAT(replay(workplace).err,
             ContainsSubstring("data/masks/b_mask.png belongs to the picture, and the manifest "
                               "does not list it"));
  fs::remove(workplace.path() / "data/masks/b_mask.png");
  fs::remove(workplace.path() / "data/labels/c.txt");
  CHECK_THAT(replay(workplace, {"--overwrite"}).err,
             ContainsSubstring("the manifest lists labels/c__rotate90.txt, and the input has no "
                               "file for it"));
  workplace.add("data/annotations/x.json", workplace.content("data/annotations/x.json") + "\n");
  const Result coco = replay(workplace, {"--overwrite"});
  CHECK(coco.exit_code == 1);
  CHECK_THAT(coco.err, ContainsSubstring("data/annotations/x.json is not the file that the"));
}

TEST_CASE("A replay that would make other bytes than the manifest lists fails by name") {
  Workplace workplace;
  workplace.add("data/a.png", cli::png(cli::labelled_picture));
  make(workplace, {"--variants", "cw,flop"});
  const std::string manifest = workplace.content("out/manifest.jsonl");
  const std::string member = "\"result\":\"";
  const std::string hash = manifest.substr(manifest.find(member) + member.size(), 32);
  workplace.add("out/manifest.jsonl", replaced(manifest, hash, std::string(32, '0')));
  const Result result = replay(workplace);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("a__flop.png would not be what the manifest lists; that "
                                           "was made by qturn "));
  CHECK_FALSE(workplace.exists("again/a__flop.png"));
  CHECK(workplace.exists("again/a__rotate90.png"));
}

TEST_CASE("A replay fails by name where a file of a data set has changed") {
  Workplace workplace;
  add_labelled(workplace);
  add_data_set(workplace);
  make(workplace, {"--variants", "cw"});
  workplace.add("data/val.txt", "./images/b.png\n");
  const Result result = replay(workplace);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("data/val.txt is not the file that the manifest"));
  CHECK_FALSE(workplace.exists("again/val.txt"));
  CHECK(workplace.exists("again/data.yaml"));
}

TEST_CASE("A data set that was moved is replayed, or refused where absolute paths decide") {
  struct Layout {
    std::string yaml, list, leads_to;  ///< all replayed if empty
  };
  const std::string old = "/data/", moved = "/elsewhere/data/";
  for (const auto& [yaml, list, leads_to] :
       {Layout{"path: .\ntrain: images/t\nval: val.txt\n", "./images/v/b.png\n", ""},
        {"path: ROOT/data\ntrain: images/t\nval: val.txt\n", "./images/v/b.png\n", ""},
        {"train: ROOT/data/images/t\n", "", old + "images/t"},
        {"train: ROOT/data/images/t\nval: images/v\n", "", old + "images/t"},
        {"train: images/t\nval: val.txt\n", "ROOT/data/images/v/b.png\n./images/t/a.png\n",
         old + "images/v/b.png"},
        {"train: images/t\nval: images/none\n", "", moved + "images/none"}}) {
    CAPTURE(yaml, list);
    Workplace workplace;
    const std::string root = fs::canonical(workplace.path());
    const auto with_root = [&](std::string text) {
      const std::size_t at = text.find("ROOT");
      return at == std::string::npos ? text : text.replace(at, 4, root);
    };
    for (const char* name : {"data/images/t/a.png", "data/images/v/b.png"})
      workplace.add(name, cli::png(cli::labelled_picture));
    workplace.add("data/images/none/x", "");
    workplace.add("data/data.yaml", with_root(yaml) + "names: [cat]\n");
    if (!list.empty()) workplace.add("data/val.txt", with_root(list));
    make(workplace, {"--variants", "cw"});
    fs::create_directory(workplace.path() / "elsewhere");
    fs::rename(workplace.path() / "data", workplace.path() / "elsewhere/data");
    Words words = {"augment", "elsewhere/data", "-o", "again", "--replay", "out/manifest.jsonl"};
    const Result result = workplace.qturn(words);
    if (leads_to.empty()) {
      INFO(result.err);
      CHECK(result.exit_code == 0);
    } else {
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, ContainsSubstring("would not become what out/manifest.jsonl lists: it "
                                               "leads to " +
                                               root + leads_to + ", and the data set has been"));
      CHECK_FALSE(workplace.exists("again"));
      // What the message says.
      fs::create_symlink("elsewhere/data", workplace.path() / "data");
      words[1] = "data";
      CHECK(workplace.qturn(words).exit_code == 0);
    }
    CHECK(workplace.tree("again") == workplace.tree("out"));
  }
}

TEST_CASE("What cannot be replayed is refused") {
  Workplace workplace;
  workplace.add("data/a.png", cli::png(cli::labelled_picture));
  make(workplace, {"--variants", "cw,flop"});
  const std::string manifest = workplace.content("out/manifest.jsonl");
  const auto refused = [&](const std::string& text, const std::string& why) {
    workplace.add("out/manifest.jsonl", text);
    const Result result = replay(workplace);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, StartsWith("qturn: out/manifest.jsonl: " + why));
    CHECK_FALSE(workplace.exists("again"));
  };
  refused("", "is not a manifest of qturn augment");
  refused("text\n" + manifest, "line 2 is damaged");
  refused(manifest + "{}\n", "line 4 is damaged");
  refused(replaced(manifest, "--jpeg=", "--overwrite\",\"--jpeg="),
          "'--overwrite' in its first line is not an option of a replay");
  refused(replaced(manifest, "--jpeg=", "--jpeg=x"), "the options in its first line: ");
  workplace.add("out/manifest.jsonl", manifest);
  CHECK_THAT(replay(workplace, {"--format", "tiff"}).err,
             ContainsSubstring("--format excludes --replay"));
  CHECK(replay(workplace, {"--random", "2"}).exit_code == 2);
  CHECK(replay(workplace, {"--skip-existing"}).exit_code == 2);
  CHECK_THAT(
      workplace
          .qturn({"augment", "data", "--replay", "out/manifest.jsonl", "-o", "out", "--overwrite"})
          .err,
      ContainsSubstring("would replace this manifest by its own"));
  CHECK(workplace.content("out/manifest.jsonl") == manifest);

  // Runs with different options have made one data set.
  make(workplace, {"--variants", "cw,flop,flip", "--skip-existing", "--labels", "none"});
  CHECK_THAT(replay(workplace).err,
             ContainsSubstring("runs with different or unknown options have made what it lists"));
}
