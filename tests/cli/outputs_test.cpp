// Where results go, what happens to what is there already, and what is refused before anything
// starts.
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace outputs_test {

using namespace cli;

namespace {

const Picture picture = random_picture(6, 4);

void set_age(const fs::path& path, int hours) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

}  // namespace

TEST_CASE_METHOD(Workplace, "An output that is the input is refused with what to do instead") {
  add("in/a.png", png(picture));
  CHECK_THAT(refused({"cw", "in", "-o", "in"}).err,
             StartsWith("qturn: in is both input and output; use --in-place"));
}

TEST_CASE_METHOD(Workplace, "Inputs that would write one output are named together") {
  add("in/a.tif", encoded(picture, qturn::tiff::codec));
  add("in/a.png", png(picture));
  add("in/a.avif", "is not read before that");
  add("in/b.bmp", encoded(picture, qturn::bmp::codec));
  add("in/b.png", png(picture));
  CHECK(refused({"cw", "in", "-o", "out", "--format", "png"}).err ==
        "qturn: in/a.avif and in/a.png would both be written to out/a.png, in/a.avif and in/a.tif "
        "to out/a.png, in/b.bmp and in/b.png to out/b.png; run them one after the other, each with "
        "its own output\n");
  for (int i = 0; i < 20; ++i) {
    add("many/" + std::to_string(i) + ".png", png(picture));
    add("many/" + std::to_string(i) + ".tif", "is not read before that");
  }
  refused(
      {"cw", "many", "-o", "out", "--format", "png"},
      {"many/0.png and many/0.tif would both be written to out/0.png", ", and 10 more; run them"});
}

TEST_CASE_METHOD(Workplace, "A suffix that is one letter from a picture's is not a folder") {
  add("a.png", png(picture));
  CHECK(refused({"cw", "a.png", "-o", "out.jepg"}).err ==
        "qturn: out.jepg: no picture has this suffix; did you mean .jpg? A folder of this name "
        "ends with a slash: out.jepg/\n");
  for (const std::string name : {"out.PGN", "out.tiiff", "x/out.webpp", "out.tra"}) {
    CAPTURE(name);
    refused({"cw", "a.png", "-o", name}, "did you mean .");
    refused({"augment", "a.png", "-o", name}, "did you mean .");
  }
  for (const std::string name : {"out.jepg/", "turned.2024", "out.v2", "a.b.c", "out.final"}) {
    CAPTURE(name);
    done({"cw", "a.png", "-o", name});
    CHECK(exists(name + "/a.png"));
    done({"cw", "a.png", "-o", name, "--overwrite"});
  }
  done({"cw", "a.png", "-o", "out.jepg", "--overwrite"});  // which is a folder now
}

TEST_CASE_METHOD(Workplace, "Option --dry-run prints what would be done and writes nothing") {
  add("in/a.png", png(picture));
  add("in/note.txt", "note");
  const auto before = tree(".");
  const Result result = done({"cw", "in", "--output", "out", "--dry-run", "--others", "copy"});
  // In the order in which the files lie on the disk.
  const std::vector<std::string> lines = result.out_lines();
  CHECK(std::set(lines.begin(), lines.end()) ==
        std::set<std::string>{"in/a.png -> out/a.png (rotate90, re-encoded without loss)",
                              "in/note.txt -> out/note.txt (copied)"});
  CHECK(qturn({"upright", "in", "--in-place", "--dry-run"}).out ==
        "in/a.png -> in/a.png (left alone: already upright)\n");
  CHECK(qturn({"augment", "in", "-o", "out", "--dry-run", "--variants", "flop,cw", "--labels",
               "none"})
            .out ==
        "in/a.png -> out/a__flop.png (flop, re-encoded without loss)\n"
        "in/a.png -> out/a__rotate90.png (rotate90, re-encoded without loss)\n");
  CHECK(tree(".") == before);
  CHECK_FALSE(exists("out"));
}

TEST_CASE_METHOD(
    Workplace,
    "Option --dry-run says how each picture would be turned, and what would be refused") {
  add("in/cut.jpg", jpeg(smooth_picture(33, 32)));
  add("in/whole.jpg", jpeg(smooth_picture(64, 48)));
  add("in/damaged.png", "\x89PNG\r\n\x1a\n");
  const auto before = tree(".");
  const auto planned = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--dry-run", "-q"});
    const Result result = failed(words);
    CHECK_THAT(result.err, StartsWith("qturn: in/damaged.png: truncated"));
    CHECK(tree(".") == before);
    return result.out;
  };
  CHECK_THAT(planned({"rotate180", "in", "-o", "out"}),
             ContainsSubstring("in/cut.jpg -> out/cut.jpg (rotate180, re-encoded with loss)\n"));
  CHECK_THAT(planned({"rotate180", "in", "-o", "out"}),
             ContainsSubstring("in/whole.jpg -> out/whole.jpg (rotate180, losslessly)\n"));
  CHECK_THAT(
      planned({"rotate180", "in", "--in-place"}),
      ContainsSubstring("in/cut.jpg -> in/cut.jpg (rotate180, by the orientation tag alone)\n"));
  CHECK_THAT(planned({"rotate180", "in", "-o", "out", "--jpeg-edges", "trim"}),
             ContainsSubstring("(rotate180, with edges trimmed)\n"));
  CHECK_THAT(planned({"upright", "in", "-o", "out"}),
             ContainsSubstring("in/cut.jpg -> out/cut.jpg (upright, copied byte for byte)\n"));
  failed({"rotate180", "in/cut.jpg", "-o", "out", "--jpeg-edges", "fail", "--dry-run"},
         "in/cut.jpg: cannot be turned without loss");
}

TEST_CASE_METHOD(Workplace, "What a result replaces has another size or another time") {
  const auto pnm = [](int shade) { return "P5\n3 2\n255\n" + std::string(6, 'a' + shade); };
  add("in/images/a.pgm", pnm(0));
  add("in/images/b.png", png(picture));
  add("in/labels/a.txt", "0 0.25 0.5 0.125 0.75\n");
  const Names files = {"images/a.pgm", "images/b.png", "labels/a.txt"};
  for (const std::string& file : files) set_age(path() / "in" / file, 1000);
  const auto states = [&](const fs::path& folder) {
    std::set<std::pair<std::uintmax_t, fs::file_time_type>> all;
    for (const std::string& file : files)
      all.emplace(fs::file_size(folder / file), fs::last_write_time(folder / file));
    return all;
  };
  const auto share = [](const auto& a, const auto& b) {
    return std::ranges::any_of(a, [&](const auto& one) { return b.contains(one); });
  };
  const auto before = states(path() / "in");
  done({"rotate180", "in", "-o", "out"});
  CHECK(states(path() / "out") == before);
  done({"flop", "in", "-o", "out", "--overwrite"});
  const auto overwritten = states(path() / "out");
  CHECK_FALSE(share(overwritten, before));
  done({"flop", "in", "--in-place"});
  const auto once = states(path() / "in");
  CHECK_FALSE(share(once, before));
  done({"flip", "in", "--in-place"});
  const auto twice = states(path() / "in");
  CHECK_FALSE(share(twice, once));
  CHECK_FALSE(share(twice, before));
}

TEST_CASE_METHOD(
    Workplace,
    "An output with the suffix of a format that cannot be written is not taken for a folder") {
  add("a.png", png(random_picture(4, 3)));
  add("in/a.png", png(random_picture(4, 3)));
  for (const char* output : {"x.avif", "x.HEIC", "x.jxl"}) {
    for (const char* input : {"a.png", "in"}) {
      const Result result = qturn({"cw", input, "-o", output});
      CAPTURE(input, output);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring(
                                 ": this format cannot be written from others; jpeg, png, "));
      CHECK_FALSE(exists(output));
    }
  }
  add("y.avif/b.png", png(random_picture(4, 3)));
  done({"cw", "in", "-o", "y.avif"});
  CHECK(exists("y.avif/a.png"));
}

}  // namespace outputs_test
