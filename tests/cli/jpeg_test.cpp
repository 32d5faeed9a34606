// JPEGs through the program: the two ways to turn them, and what is done about edges.
#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace jpeg_test {

using namespace cli;
using qturn::Orientation;

namespace {

/// Route or, for failures, status of each output, by its file's name.
std::map<std::string, std::string> routes(const Result& result) {
  std::map<std::string, std::string> found;
  for (const std::string& line : result.out_lines()) {
    const auto json = nlohmann::json::parse(line);
    const std::string name = std::filesystem::path(json["input"].get<std::string>()).filename();
    found[name] = json["status"] == "failed" ? "failed" : json["route"].get<std::string>();
  }
  return found;
}

using Routes = std::map<std::string, std::string>;

/// Two JPEGs without subsampling: of whole blocks, and cut below.
void add_pictures(const Workplace& workplace) {
  workplace.add("in/whole.jpg", jpeg(smooth_picture(48, 32)));
  workplace.add("in/cut.jpg", jpeg(smooth_picture(48, 29)));
}

}  // namespace

TEST_CASE_METHOD(Workplace, "The outcome of each JPEG says how it was turned") {
  add_pictures(*this);
  const auto run = [&](Words more) {
    const Result result =
        qturn(with({"cw", "in", "-o", "out", "--overwrite", "--json", "-q", "--verify"}, more));
    // In place, each is done, and proved, in the same way.
    if (!more.empty()) {
      add("place/whole.jpg", content("in/whole.jpg"));
      add("place/cut.jpg", content("in/cut.jpg"));
      CHECK(routes(qturn(with({"cw", "place", "--in-place", "--json", "-q"}, more))) ==
            routes(result));
      for (const std::string& name : files("out"))
        if (result.exit_code == 0) CHECK(content("place/" + name) == content("out/" + name));
    }
    return result;
  };
  CHECK(routes(run({})) == Routes{{"whole.jpg", "lossless"}, {"cut.jpg", "planar"}});
  CHECK(routes(run({"--jpeg", "planar"})) ==
        Routes{{"whole.jpg", "planar"}, {"cut.jpg", "planar"}});
  CHECK(routes(run({"--jpeg-edges", "reencode"})).at("cut.jpg") == "planar");

  CHECK(routes(run({"--jpeg-edges", "trim"})).at("cut.jpg") == "trimmed");
  CHECK(pixels_of(path() / "out/cut.jpg").width == 24);

  CHECK(routes(run({"--jpeg-edges", "tag"})).at("cut.jpg") == "tagged");
  const Decoded tagged = decoded(path() / "out/cut.jpg");
  CHECK(tagged.stored == Orientation::rotate90);
  CHECK(tagged.pages.front() == pixels_of(path() / "in/cut.jpg"));

  const Result failing = run({"--jpeg-edges", "fail"});
  CHECK(failing.exit_code == 1);
  CHECK(routes(failing) == Routes{{"whole.jpg", "lossless"}, {"cut.jpg", "failed"}});
  CHECK_THAT(
      failing.err,
      ContainsSubstring(
          "in/cut.jpg: cannot be turned without loss, because an edge cuts through a block"));
}

TEST_CASE_METHOD(
    Workplace,
    "A JPEG that had to be re-encoded is counted, named by -v, and fails under --strict") {
  add_pictures(*this);
  const auto run = [&](Words more) {
    return qturn(with({"cw", "in", "-o", "out", "--overwrite"}, more));
  };
  const std::string advice =
      "qturn: warning: 1 JPEG could not be turned losslessly and was re-encoded; --jpeg-edges trim "
      "or tag avoids that, -v names it\n";
  const Result result = run({"-v"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring(advice));
  CHECK_THAT(
      result.err,
      ContainsSubstring("in/cut.jpg -> out/cut.jpg (rotate90, re-encoded with loss, 29 x 48)\n"));
  CHECK_THAT(result.err,
             ContainsSubstring("in/whole.jpg -> out/whole.jpg (rotate90, losslessly, 32 x 48)\n"));
  for (const std::string edges : {"trim", "tag"}) {
    const Result lossless = run({"--jpeg-edges", edges});
    CHECK(lossless.exit_code == 0);
    CHECK(lossless.err.find("re-encoded") == std::string::npos);
  }

  std::filesystem::remove_all(path() / "out");
  const Result strict = run({"--strict", "--json"});
  CHECK(strict.exit_code == 1);
  CHECK(routes(strict) == Routes{{"whole.jpg", "lossless"}, {"cut.jpg", "failed"}});
  CHECK_THAT(strict.err, ContainsSubstring(
                             "in/cut.jpg: cannot be turned without loss, because an edge cuts "
                             "through a block (--strict); --jpeg-edges trim or tag avoids that\n"));
  CHECK(files("out") == Names{"whole.jpg"});

  // Whoever asks for it needs no advice.
  const Result planar = run({"--strict", "--jpeg", "planar"});
  CHECK(planar.exit_code == 0);
  CHECK(planar.err.find("--jpeg-edges") == std::string::npos);
}

TEST_CASE_METHOD(Workplace, "The outcome says which results were compressed with loss") {
  add_pictures(*this);
  add("in/a.png", png(smooth_picture(48, 32)));
  add("in/b.webp", content_of(testdata() / "samples/graphics/coffee.webp"));
  const auto lossy = [&](Words more) {
    const Words words = with({"cw", "in", "-o", "out", "--overwrite", "--json"}, more);
    const Result result = qturn(words);
    std::set<std::string> found;
    for (const std::string& line : result.out_lines()) {
      const auto json = nlohmann::json::parse(line);
      if (json["lossy"].get<bool>()) {
        found.insert(std::filesystem::path(json["input"].get<std::string>()).filename());
      }
    }
    CHECK((result.err.find("1 WebP was compressed again with loss; --format png avoids that for "
                           "still pictures\n") != std::string::npos) ==
          (more.size() == 1 || more[0] != "--format"));
    return found;
  };
  using Names = std::set<std::string>;
  CHECK(lossy({"--verbose"}) == Names{"cut.jpg", "b.webp"});
  CHECK(lossy({"--jpeg", "planar"}) == Names{"cut.jpg", "whole.jpg", "b.webp"});
  CHECK(lossy({"--format", "png"}) == Names{});
  CHECK(lossy({"--format", "jpeg"}) == Names{"a.png", "b.webp", "cut.jpg"});
}

TEST_CASE_METHOD(
    Workplace, "What --jpeg-edges skip leaves out is not written, but counted, and not a failure") {
  add_pictures(*this);
  const Result result = done({"cw", "in", "-o", "out", "--jpeg-edges", "skip", "--json"});
  CHECK(routes(result) == Routes{{"whole.jpg", "lossless"}, {"cut.jpg", "skipped"}});
  CHECK(files("out") == Names{"whole.jpg"});
  CHECK_THAT(result.err, ContainsSubstring("1 left alone because a turn would not be lossless"));
}

}  // namespace jpeg_test
