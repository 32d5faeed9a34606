// --json: what programs read. Each line parses by itself and has the members that docs/json.md
// names.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <nlohmann/json.hpp>

#include <map>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

using Catch::Matchers::ContainsSubstring;
using cli::Picture;
using cli::Result;
using cli::Workplace;
using Json = nlohmann::json;
using Names = std::set<std::string>;

namespace {

const Picture picture = cli::random_picture(6, 4);

/// The lines by their "output", each checked to be an object.
std::map<std::string, Json> by_output(const std::string& text) {
  std::map<std::string, Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const Json json = Json::parse(line);
    REQUIRE(json.is_object());
    lines[json.at("output").get<std::string>()] = json;
  }
  return lines;
}

Names members(const Json& json) {
  Names names;
  for (const auto& [name, value] : json.items()) names.insert(name);
  return names;
}

const Names all_members = {"input", "output", "orientation", "applied", "width",   "height",
                           "route", "lossy",  "seconds",     "status",  "message", "warnings"};

}  // namespace

TEST_CASE(
    "Option --json prints one object for each output on standard output, and nothing else there") {
  Workplace workplace;
  workplace.add("in/moved.png", cli::png(picture));
  workplace.add("in/tagged.png", cli::tagged_png(picture, 6));
  workplace.add("in/undone.jpg", cli::tagged_jpeg(cli::smooth_picture(16, 8), 8));
  workplace.add("in/bad.png", "text");
  workplace.add("in/note.csv", "1,2");
  const Result result =
      workplace.qturn({"rotate90", "in", "-o", "out", "--json", "--others", "copy"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("1 failed"));

  const auto lines = by_output(result.out);
  REQUIRE(lines.size() == 5);
  for (const auto& [output, line] : lines) {
    CAPTURE(output);
    CHECK(members(line) == all_members);
    CHECK(line["input"] == "in" + output.substr(3));
    CHECK(line["orientation"] == "rotate90");
    CHECK(line["seconds"].is_number());
    CHECK(line["warnings"].is_array());
    CHECK((line["status"] == "done") == (output != "out/bad.png"));
    CHECK((line["message"] == "") == (line["status"] == "done"));
  }
  const Json& moved = lines.at("out/moved.png");
  CHECK(moved["applied"] == "rotate90");
  CHECK(moved["width"] == 4);
  CHECK(moved["height"] == 6);
  CHECK(moved["route"] == "reencoded");
  CHECK(lines.at("out/tagged.png")["applied"] == "rotate180");
  CHECK(lines.at("out/tagged.png")["width"] == 6);
  CHECK(lines.at("out/undone.jpg")["applied"] == "identity");
  CHECK(lines.at("out/undone.jpg")["route"] == "tagged");
  CHECK(lines.at("out/note.csv")["route"] == "copied");
  const Json& bad = lines.at("out/bad.png");
  CHECK(bad["status"] == "failed");
  CHECK(bad["route"] == "none");
  CHECK(bad["message"] == "not a picture in a format that qturn reads, whatever its name says");
}

TEST_CASE("Option --json=FILE writes the lines there, and --json=- means standard output") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("log.jsonl", "from the last run\n");
  const Result result = workplace.qturn({"flop", "in", "-o", "out", "--json=log.jsonl"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(by_output(workplace.content("log.jsonl")).at("out/a.png")["status"] == "done");

  const Result dash = workplace.qturn({"flop", "in", "-o", "out2", "--json=-"});
  CHECK(by_output(dash.out).contains("out2/a.png"));
  CHECK_FALSE(workplace.exists("-"));
}

TEST_CASE("Option --json does not take the next word") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  const Result result = workplace.qturn({"flop", "--json", "in", "-o", "out"});
  CHECK(result.exit_code == 0);
  CHECK(by_output(result.out).contains("out/a.png"));
}

TEST_CASE("A file for --json that cannot be written stops the run before it starts") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  const Result result = workplace.qturn({"flop", "in", "-o", "out", "--json=no/such/folder"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "qturn: cannot write no/such/folder: No such file or directory\n");
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE("What is skipped is reported: outputs that exist, and files that are upright in place") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("out/a.png", "old");
  const Result existing = workplace.qturn({"flop", "in", "-o", "out", "--skip-existing", "--json"});
  CHECK(existing.exit_code == 0);
  CHECK(by_output(existing.out).at("out/a.png") == Json{{"input", "in/a.png"},
                                                        {"output", "out/a.png"},
                                                        {"status", "skipped"},
                                                        {"message", "the output exists"}});

  const Result upright = workplace.qturn({"upright", "in", "--in-place", "--json"});
  const Json line = by_output(upright.out).at("in/a.png");
  CHECK(members(line) == all_members);
  CHECK(line["orientation"] == "identity");
  CHECK(line["status"] == "skipped");
  CHECK(line["route"] == "none");
  CHECK(line["message"] == "already upright");
}

TEST_CASE("Option --dry-run --json prints what is planned") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  const Result result = workplace.qturn(
      {"augment", "in", "-o", "out", "--variants", "cw,flip", "--dry-run", "--json"});
  CHECK(result.exit_code == 0);
  const auto lines = by_output(result.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines.at("out/a__rotate90.png") == Json{{"input", "in/a.png"},
                                                {"output", "out/a__rotate90.png"},
                                                {"orientation", "rotate90"},
                                                {"route", "reencoded"},
                                                {"lossy", false},
                                                {"status", "planned"},
                                                {"message", ""}});
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE("Lines name what belongs to a picture: sidecars, label, masks and COCO files") {
  Workplace workplace;
  workplace.add("in/images/a.png", cli::png(picture));
  workplace.add("in/labels/a.txt", "0 0.5 0.5 1 1\n");
  workplace.add("in/masks/a.png", cli::png(picture));
  workplace.add(
      "in/x.json",
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 6, "height": 4}], "annotations": []})");
  const auto pair = [](const std::string& input, const std::string& output) {
    return Json{{"input", input}, {"output", output}};
  };
  for (const bool is_dry : {true, false}) {
    std::vector<std::string> words = {"augment", "in", "-o", "out", "--variants", "cw", "--json"};
    if (is_dry) words.emplace_back("--dry-run");
    const Result result = workplace.qturn(words);
    CHECK(result.exit_code == 0);
    const Json line = by_output(result.out).at("out/images/a__rotate90.png");
    CHECK(line["label"] == pair("in/labels/a.txt", "out/labels/a__rotate90.txt"));
    CHECK(line["masks"] == Json::array({pair("in/masks/a.png", "out/masks/a__rotate90.png")}));
    CHECK(line["labels_in"] == Json::array({"in/x.json"}));
  }

  workplace.add("more/b.png", cli::png(picture));
  workplace.add("more/b.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='6'"));
  const Result turned = workplace.qturn({"cw", "more", "-o", "out2", "--sidecars", "--json"});
  CHECK(by_output(turned.out).at("out2/b.png")["sidecars"] ==
        Json::array({pair("more/b.xmp", "out2/b.xmp")}));
}

TEST_CASE("With --dry-run, lines also go to a file on request, and say what is left alone") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("in/b.png", cli::png(picture));
  workplace.add("out/a.png", "");
  const Result result = workplace.qturn(
      {"flop", "in", "-o", "out", "--skip-existing", "--dry-run", "--json=plan.jsonl"});
  CHECK(result.exit_code == 0);
  CHECK(result.out == "in/b.png -> out/b.png (flop, losslessly)\n");
  const auto lines = by_output(workplace.content("plan.jsonl"));
  REQUIRE(lines.size() == 2);
  CHECK(lines.at("out/a.png")["status"] == "skipped");
  CHECK(lines.at("out/b.png")["status"] == "planned");
}

TEST_CASE("A name that is not UTF-8 is shown approximately, and exactly in hexadecimal") {
  Workplace workplace;
  workplace.add("in/caf\xe9.png", cli::png(picture));
  workplace.add("in/two\nlines.png", cli::png(picture));
  const Result result = workplace.qturn({"flop", "in", "-o", "out", "--json"});
  CHECK(result.exit_code == 0);
  const auto lines = by_output(result.out);
  CHECK(lines.at("out/two\nlines.png")["input"] == "in/two\nlines.png");
  const Json& line = lines.at("out/caf\xef\xbf\xbd.png");
  CHECK(line["input_hex"] == "696e2f636166e92e706e67");
  CHECK(line["output_hex"] == "6f75742f636166e92e706e67");

  CHECK(workplace.qturn({"augment", "in", "-o", "more", "--variants", "flop"}).exit_code == 0);
  CHECK_THAT(workplace.content("more/manifest.jsonl"),
             ContainsSubstring("\"key_hex\":\"636166e92e706e67\""));
}

TEST_CASE(
    "Lines that cannot all be written make the exit status 1, although the pictures are done") {
  if (!std::filesystem::exists("/dev/full")) SKIP("there is no /dev/full");
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  const Result result = workplace.qturn({"flop", "in", "-o", "out", "--json=/dev/full"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(
      result.err,
      ContainsSubstring(
          "qturn: /dev/full: the JSON lines could not all be written: No space left on device\n"));
  CHECK(workplace.files("out") == Names{"a.png"});
}

TEST_CASE("Lines replace no input and no output") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  const std::string before = workplace.content("in/a.png");
  const std::initializer_list<std::vector<std::string>> refused = {
      {"flop", "in", "--in-place", "--json=in/a.png"},
      {"flop", "in", "-o", "out", "--json=./in/../in/a.png"},
      {"flop", "in", "-o", "out", "--json=out/a.png"},
      {"flop", "in", "-o", "out", "--dry-run", "--json=in/a.png"},
      {"augment", "in", "-o", "out", "--json=out/manifest.jsonl"},
      {"check", "in", "--json=in/a.png"}};
  for (const auto& words : refused) {
    CAPTURE(words);
    const Result result = workplace.qturn(words);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, ContainsSubstring("qturn: --json would write in the place of "));
  }
  CHECK(workplace.content("in/a.png") == before);
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE("A standard output that cannot be written makes the exit status 1") {
  if (!std::filesystem::exists("/dev/full")) SKIP("there is no /dev/full");
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.full_stream = 1;
  CHECK(workplace.qturn({"check", "in", "--json"}).exit_code == 1);
  CHECK(workplace.qturn({"flop", "in", "-o", "out", "--dry-run", "--json"}).exit_code == 1);
  CHECK(workplace.qturn({"flop", "in", "-o", "out", "--dry-run"}).exit_code == 1);
  CHECK(workplace.qturn({"devices"}).exit_code == 1);
  CHECK_FALSE(workplace.exists("out"));
}
