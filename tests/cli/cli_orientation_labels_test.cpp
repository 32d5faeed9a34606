// augment --label-orientation: the turns as labels of a classifier.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/cli_labelled.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::results;
using cli::Workplace;
using Names = std::set<std::string>;

namespace {

const cli::Picture& picture = cli::labelled_picture;

void add_two_pictures(const Workplace& workplace) {
  workplace.add("data/a.png", cli::png(picture));
  workplace.add("data/x/b, c.png", cli::png(picture));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Result label(const Workplace& workplace, std::vector<std::string> words) {
  words.insert(words.begin(), {"augment", "data", "-o", "out", "--label-orientation"});
  return workplace.qturn(words);
}

}  // namespace

TEST_CASE("Option --label-orientation says how each picture was turned, and what turns it back") {
  const Workplace workplace;
  add_two_pictures(workplace);
  CHECK(label(workplace, {}).exit_code == 0);
  const std::string rows =
      "filename,orientation,variant,upright\n"
      "a__identity.png,1,identity,1\n"
      "a__flop.png,2,flop,2\n"
      "a__rotate180.png,3,rotate180,3\n"
      "a__flip.png,4,flip,4\n"
      "a__transpose.png,5,transpose,5\n"
      "a__rotate90.png,6,rotate90,8\n"
      "a__transverse.png,7,transverse,7\n"
      "a__rotate270.png,8,rotate270,6\n";
  const std::string content = workplace.content("out/orientations.csv");
  CHECK(content.starts_with(rows));
  CHECK(lines_of(content).size() == 17);
  CHECK(lines_of(content).at(9) == "\"x/b, c__identity.png\",1,identity,1");
  // What the last column names turns the picture upright.
  for (const std::string variant : {"rotate90", "rotate270", "transverse"}) {
    const std::string back = variant == "rotate90"    ? "rotate270"
                             : variant == "rotate270" ? "rotate90"
                                                      : variant;
    CHECK(workplace.qturn({back, "out/a__" + variant + ".png", "-o", variant + ".png"}).exit_code ==
          0);
    CHECK(cli::decoded(workplace.path() / (variant + ".png")).pages.at(0) == picture);
  }
}

TEST_CASE("The labels of orientations are those of the manifest, also with --random") {
  const Workplace workplace;
  add_two_pictures(workplace);
  CHECK(label(workplace, {"--random", "3", "--seed", "7"}).exit_code == 0);
  const auto rows = lines_of(workplace.content("out/orientations.csv"));
  const auto lines = lines_of(workplace.content("out/manifest.jsonl"));
  REQUIRE(rows.size() == 7);
  REQUIRE(lines.size() == rows.size());  // the first of each is about the others
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto line = nlohmann::json::parse(lines[i]);
    std::string name = line["output"];
    if (name.find(',') != std::string::npos) name = '"' + name + '"';
    CHECK_THAT(rows[i], Catch::Matchers::StartsWith(
                            fmt::format("{},{},{},", name, line["orientation"].get<int>(),
                                        line["variant"].get<std::string>())));
  }
}

TEST_CASE("The labels of orientations name what is there, and replace nothing unless asked to") {
  const Workplace workplace;
  add_two_pictures(workplace);
  workplace.add("data/broken.png", cli::png(picture).substr(0, 60));
  CHECK(label(workplace, {"--variants", "flop"}).exit_code == 1);
  const std::string whole =
      "filename,orientation,variant,upright\na__flop.png,2,flop,2\n"
      "\"x/b, c__flop.png\",2,flop,2\n";
  CHECK(workplace.content("out/orientations.csv") == whole);
  fs::remove(workplace.path() / "data/broken.png");
  fs::remove(workplace.path() / "out/a__flop.png");
  CHECK(label(workplace, {"--variants", "flop", "--skip-existing"}).exit_code == 0);
  CHECK(workplace.content("out/orientations.csv") == whole);

  fs::remove_all(workplace.path() / "out");
  workplace.add("out/orientations.csv", "kept");
  const Result refused = label(workplace, {});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             ContainsSubstring("out/orientations.csv exists already; use --overwrite"));
  CHECK(results(workplace) == Names{"orientations.csv"});
  workplace.add("data/orientations.csv", "of another");
  CHECK_THAT(label(workplace, {"--others", "copy", "--overwrite"}).err,
             ContainsSubstring("data/orientations.csv: its copy would be in the place of the "
                               "orientations; --exclude 'orientations.csv'"));
  workplace.add("data/orientations.csv", "image,x,y\na.png,3,1\n");
  CHECK_THAT(label(workplace, {"--overwrite"}).err,
             ContainsSubstring("data/orientations.csv: the orientations would be in the place of "
                               "its labels"));
  CHECK(label(workplace, {"--jpeg-edges", "tag", "--labels", "none"}).exit_code == 2);
  CHECK(workplace.content("out/orientations.csv") == "kept");
}

TEST_CASE("Results that are left alone must be known to have turned pixels") {
  Workplace workplace;
  workplace.add("d/a.jpg", cli::jpeg(cli::smooth_picture(33, 31)));
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"augment", "d", "-o", "out", "--variants", "cw"};
    words.insert(words.end(), more.begin(), more.end());
    return workplace.qturn(words);
  };
  CHECK(run({"--jpeg-edges", "tag"}).exit_code == 0);
  const auto before = workplace.tree("out");
  const auto refused = [&](const std::string& why) {
    const cli::Result result = run({"--skip-existing", "--label-orientation"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, ContainsSubstring(why));
    CHECK_FALSE(workplace.exists("out/orientations.csv"));
  };
  refused("were made with --jpeg-edges tag, which turns some by their tag alone; use --overwrite");
  CHECK(workplace.tree("out") == before);
  fs::remove(workplace.path() / "out/manifest.jsonl");
  refused("out/manifest.jsonl does not tell with which options the results were made");
  CHECK(run({"--overwrite"}).exit_code == 0);
  CHECK(run({"--skip-existing", "--label-orientation"}).exit_code == 0);
}
