// --json: what programs read. Each line parses by itself and has the members that docs/json.md
// names.
#include <nlohmann/json.hpp>

#include <map>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace json_test {

using namespace cli;
using Json = nlohmann::json;

namespace {

const Picture picture = random_picture(6, 4);

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

TEST_CASE_METHOD(
    Workplace,
    "Option --json prints one object for each output on standard output, and nothing else there") {
  add("in/moved.png", png(picture));
  add("in/tagged.png", tagged_png(picture, 6));
  add("in/undone.jpg", tagged_jpeg(smooth_picture(16, 8), 8));
  add("in/bad.png", "text");
  add("in/note.csv", "1,2");
  const Result result =
      failed({"rotate90", "in", "-o", "out", "--json", "--others", "copy"}, "1 failed");

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

TEST_CASE_METHOD(Workplace,
                 "Option --json=FILE writes the lines there, and --json=- means standard output") {
  add("in/a.png", png(picture));
  add("log.jsonl", "from the last run\n");
  CHECK(done({"flop", "in", "-o", "out", "--json=log.jsonl"}).out.empty());
  CHECK(by_output(content("log.jsonl")).at("out/a.png")["status"] == "done");

  const Result dash = qturn({"flop", "in", "-o", "out2", "--json=-"});
  CHECK(by_output(dash.out).contains("out2/a.png"));
  CHECK_FALSE(exists("-"));
}

TEST_CASE_METHOD(Workplace, "Option --json does not take the next word") {
  add("in/a.png", png(picture));
  const Result result = done({"flop", "--json", "in", "-o", "out"});
  CHECK(by_output(result.out).contains("out/a.png"));
}

TEST_CASE_METHOD(Workplace,
                 "A file for --json that cannot be written stops the run before it starts") {
  add("in/a.png", png(picture));
  CHECK(refused({"flop", "in", "-o", "out", "--json=no/such/folder"}).err ==
        "qturn: cannot write no/such/folder: No such file or directory\n");
}

TEST_CASE_METHOD(
    Workplace,
    "What is skipped is reported: outputs that exist, and files that are upright in place") {
  add("in/a.png", png(picture));
  add("out/a.png", "old");
  const Result existing = done({"flop", "in", "-o", "out", "--skip-existing", "--json"});
  CHECK(by_output(existing.out).at("out/a.png") == Json{{"input", "in/a.png"},
                                                        {"output", "out/a.png"},
                                                        {"status", "skipped"},
                                                        {"message", "the output exists"}});

  const Result upright = qturn({"upright", "in", "--in-place", "--json"});
  const Json line = by_output(upright.out).at("in/a.png");
  CHECK(members(line) == all_members);
  CHECK(line["orientation"] == "identity");
  CHECK(line["status"] == "skipped");
  CHECK(line["route"] == "none");
  CHECK(line["message"] == "already upright");
}

TEST_CASE_METHOD(Workplace, "Option --dry-run --json prints what is planned") {
  add("in/a.png", png(picture));
  const Result result =
      done({"augment", "in", "-o", "out", "--variants", "cw,flip", "--dry-run", "--json"});
  const auto lines = by_output(result.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines.at("out/a__rotate90.png") == Json{{"input", "in/a.png"},
                                                {"output", "out/a__rotate90.png"},
                                                {"orientation", "rotate90"},
                                                {"route", "reencoded"},
                                                {"lossy", false},
                                                {"status", "planned"},
                                                {"message", ""}});
  CHECK_FALSE(exists("out"));
}

TEST_CASE_METHOD(Workplace,
                 "Lines name what belongs to a picture: sidecars, label, masks and COCO files") {
  add("in/images/a.png", png(picture));
  add("in/labels/a.txt", "0 0.5 0.5 1 1\n");
  add("in/masks/a.png", png(picture));
  add("in/x.json",
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 6, "height": 4}], "annotations": []})");
  const auto pair = [](const std::string& input, const std::string& output) {
    return Json{{"input", input}, {"output", output}};
  };
  for (const bool is_dry : {true, false}) {
    Words words = {"augment", "in", "-o", "out", "--variants", "cw", "--json"};
    if (is_dry) words.emplace_back("--dry-run");
    const Result result = done(words);
    const Json line = by_output(result.out).at("out/images/a__rotate90.png");
    CHECK(line["label"] == pair("in/labels/a.txt", "out/labels/a__rotate90.txt"));
    CHECK(line["masks"] == Json::array({pair("in/masks/a.png", "out/masks/a__rotate90.png")}));
    CHECK(line["labels_in"] == Json::array({"in/x.json"}));
  }

  add("more/b.png", png(picture));
  add("more/b.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='6'"));
  const Result turned = qturn({"cw", "more", "-o", "out2", "--sidecars", "--json"});
  CHECK(by_output(turned.out).at("out2/b.png")["sidecars"] ==
        Json::array({pair("more/b.xmp", "out2/b.xmp")}));
}

TEST_CASE_METHOD(Workplace,
                 "With --dry-run, lines also go to a file on request, and say what is left alone") {
  add("in/a.png", png(picture));
  add("in/b.png", png(picture));
  add("out/a.png", "");
  CHECK(
      done({"flop", "in", "-o", "out", "--skip-existing", "--dry-run", "--json=plan.jsonl"}).out ==
      "in/b.png -> out/b.png (flop, re-encoded without loss)\n");
  const auto lines = by_output(content("plan.jsonl"));
  REQUIRE(lines.size() == 2);
  CHECK(lines.at("out/a.png")["status"] == "skipped");
  CHECK(lines.at("out/b.png")["status"] == "planned");
}

TEST_CASE_METHOD(Workplace,
                 "A name that is not UTF-8 is shown approximately, and exactly in hexadecimal") {
  add("in/caf\xe9.png", png(picture));
  add("in/two\nlines.png", png(picture));
  const Result result = done({"flop", "in", "-o", "out", "--json"});
  const auto lines = by_output(result.out);
  CHECK(lines.at("out/two\nlines.png")["input"] == "in/two\nlines.png");
  const Json& line = lines.at("out/caf\xef\xbf\xbd.png");
  CHECK(line["input_hex"] == "696e2f636166e92e706e67");
  CHECK(line["output_hex"] == "6f75742f636166e92e706e67");

  done({"augment", "in", "-o", "more", "--variants", "flop"});
  CHECK_THAT(content("more/manifest.jsonl"), ContainsSubstring("\"key_hex\":\"636166e92e706e67\""));
}

TEST_CASE_METHOD(
    Workplace,
    "Lines that cannot all be written make the exit status 1, although the pictures are done") {
  if (!std::filesystem::exists("/dev/full")) SKIP("there is no /dev/full");
  add("in/a.png", png(picture));
  failed({"flop", "in", "-o", "out", "--json=/dev/full"},
         "qturn: /dev/full: not all JSON lines could be written: No space left on device\n");
  CHECK(files("out") == Names{"a.png"});
}

TEST_CASE("Lines replace no input and no output") {
  Workplace workplace;
  workplace.add("in/a.png", png(picture));
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
    workplace.refused(words, "qturn: --json would overwrite ");
  }
  CHECK(workplace.content("in/a.png") == before);
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE_METHOD(Workplace, "A standard output that cannot be written makes the exit status 1") {
  if (!std::filesystem::exists("/dev/full")) SKIP("there is no /dev/full");
  add("in/a.png", png(picture));
  full_stream = 1;
  failed({"check", "in", "--json"});
  failed({"flop", "in", "-o", "out", "--dry-run", "--json"});
  failed({"flop", "in", "-o", "out", "--dry-run"});
  failed({"devices"});
  CHECK_FALSE(exists("out"));
}

}  // namespace json_test
