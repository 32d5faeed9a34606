// The sample pictures, stored as cameras and scanners store them, through the whole program.
#include <nlohmann/json.hpp>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace samples_test {

using namespace cli;
using qturn::Orientation;

namespace {

const fs::path samples = testdata() / "samples";

std::set<std::string> sample_names() {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(samples))
    if (!entry.is_directory()) names.insert(entry.path().lexically_relative(samples).string());
  return names;
}

}  // namespace

TEST_CASE_METHOD(
    Workplace, "Every sample is made upright, and its pixels are the stored ones in other places") {
  done({"upright", samples.string(), "-o", "out"});
  CHECK(files("out") == sample_names());
  std::set<Orientation> met;
  for (const std::string& name : sample_names()) {
    CAPTURE(name);
    if (name.ends_with(".jpg")) {
      // What becomes of coefficients is the business of tests/formats/jpeg.
      const qturn::Header stored = header_of(samples / name);
      const qturn::Header result = header_of(path() / "out" / name);
      met.insert(stored.stored);
      CHECK(result.stored == Orientation::identity);
      CHECK(qturn::Size{result.width, result.height} ==
            qturn::turned_size(stored.stored, {stored.width, stored.height}));
      continue;
    }
    const Decoded before = decoded(samples / name);
    const Decoded after = decoded(path() / "out" / name);
    met.insert(before.stored);
    CHECK(after.format == before.format);
    CHECK(after.stored == Orientation::identity);
    REQUIRE(after.pages.size() == before.pages.size());
    for (std::size_t i = 0; i < before.pages.size(); ++i) {
      const Picture wanted = turned(before.pages[i], before.stored);
      CHECK(after.pages[i] == wanted);
    }
  }
  CHECK(met.size() == 8);
}

TEST_CASE_METHOD(Workplace, "Upright samples are upright: a second run copies every byte") {
  done({"upright", samples.string(), "-o", "once"});
  const Result again = done({"upright", "once", "-o", "twice", "--json"});
  CHECK(tree("once") == tree("twice"));
  for (const std::string& line : again.out_lines()) {
    CAPTURE(line);
    CHECK(nlohmann::json::parse(line)["route"] == "copied");
  }
}

TEST_CASE_METHOD(Workplace,
                 "Four quarter turns of a losslessly stored sample give back its pixels") {
  fs::copy(samples / "mirrored/bricks.png", path() / "bricks.png");
  fs::copy(samples / "graphics/horse.png", path() / "horse.png");
  fs::copy(samples / "scans/textures.tif", path() / "textures.tif");
  done({"upright", ".", "--in-place"});
  const auto upright = [&] {
    std::vector<Picture> pages;
    for (const char* name : {"bricks.png", "horse.png", "textures.tif"})
      for (Picture& page : decoded(path() / name).pages) pages.push_back(std::move(page));
    return pages;
  };
  const std::vector<Picture> before = upright();
  for (int turn = 1; turn <= 4; ++turn) {
    done({"cw", ".", "--in-place"});
    CHECK((upright() == before) == (turn == 4));
  }
}

}  // namespace samples_test
