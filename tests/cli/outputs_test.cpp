// Where results go, what happens to what is there already, and what is refused before anything
// starts.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli::Picture;
using cli::Result;
using cli::Workplace;
using qturn::Orientation;
using Names = std::set<std::string>;

namespace {

const Picture picture = cli::random_picture(6, 4);
const Picture turned = cli::turned(picture, Orientation::rotate90);

void set_age(const fs::path& path, int hours) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
}

/// That the command line is refused before anything starts, and the message.
std::string refused(const Workplace& workplace, std::vector<std::string> words) {
  const auto before = workplace.tree(".");
  const Result result = workplace.qturn(std::move(words));
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(workplace.tree(".") == before);
  return result.err;
}

}  // namespace

TEST_CASE("The output is a file if there is one input file and a picture's suffix") {
  Workplace workplace;
  workplace.add("a.png", cli::png(picture));
  CHECK(workplace.qturn({"cw", "a.png", "-o", "b.png"}).exit_code == 0);
  CHECK(cli::pixels_of(workplace.path() / "b.png") == turned);

  CHECK(workplace.qturn({"cw", "a.png", "--output", "new/folder/c.tif"}).exit_code == 0);
  const cli::Decoded converted = cli::decoded(workplace.path() / "new/folder/c.tif");
  CHECK(converted.format == &qturn::tiff::codec);
  CHECK(converted.pages.front() == turned);

  CHECK(workplace.qturn({"cw", "a.png", "-o", "folder"}).exit_code == 0);
  CHECK(workplace.files("folder") == Names{"a.png"});
  fs::create_directory(workplace.path() / "folder.png");
  CHECK(workplace.qturn({"cw", "a.png", "-o", "folder.png"}).exit_code == 0);
  CHECK(workplace.files("folder.png") == Names{"a.png"});
  CHECK(refused(workplace, {"cw", "a.png", "-o", "d.png", "--format", "tiff"}) ==
        "qturn: d.png: its suffix says png, and the format asked for is tiff\n");
}

TEST_CASE("An output that exists is refused, replaced, skipped or updated, as the options say") {
  Workplace workplace;
  const fs::path here = workplace.path();
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("in/b.png", cli::png(picture));
  workplace.add("out/a.png", "an old result");

  CHECK(refused(workplace, {"cw", "in", "-o", "out"}) ==
        "qturn: out/a.png exists already; use --overwrite, --skip-existing or --update, or another "
        "output\n");

  const Result skipped = workplace.qturn({"cw", "in", "-o", "out", "--skip-existing"});
  CHECK(skipped.exit_code == 0);
  CHECK_THAT(skipped.err, ContainsSubstring("1 left alone because the output exists"));
  CHECK(workplace.content("out/a.png") == "an old result");
  CHECK(cli::pixels_of(here / "out/b.png") == turned);

  set_age(here / "in/a.png", 5);
  set_age(here / "out/a.png", 4);
  CHECK(workplace.qturn({"cw", "in", "-o", "out", "--update"}).exit_code == 0);
  CHECK(workplace.content("out/a.png") == "an old result");

  set_age(here / "out/a.png", 6);
  CHECK(workplace.qturn({"cw", "in", "-o", "out", "--update"}).exit_code == 0);
  CHECK(cli::pixels_of(here / "out/a.png") == turned);

  workplace.add("out/a.png", "an old result");
  CHECK(workplace.qturn({"cw", "in", "-o", "out", "--overwrite"}).exit_code == 0);
  CHECK(cli::pixels_of(here / "out/a.png") == turned);
}

TEST_CASE("A second run with --update or --skip-existing has nothing to do and exits with 0") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  CHECK(workplace.qturn({"cw", "in", "-o", "out"}).exit_code == 0);
  const auto before = workplace.tree("out");
  for (const char* option : {"--update", "--skip-existing"}) {
    const Result result = workplace.qturn({"cw", "in", "-o", "out", option});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, ContainsSubstring("1 left alone because the output exists"));
  }
  CHECK(workplace.tree("out") == before);
}

TEST_CASE("Outputs that cannot be are refused before anything starts") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("in/sub/b.png", cli::png(picture));
  workplace.add("file", "text");
  workplace.add("busy/a.png/x", "a folder where a file should go");
  fs::create_directory_symlink("in", workplace.path() / "link");

  CHECK(refused(workplace, {"cw", "in", "-o", "file"}) ==
        "qturn: " + (workplace.path() / "file").string() +
            ": is a file, and the output needs a folder there\n");
  CHECK_THAT(refused(workplace, {"cw", "in", "-o", "in"}),
             StartsWith("qturn: in is both input and output; use --in-place"));
  CHECK_THAT(refused(workplace, {"cw", "in", "-o", "link"}),
             ContainsSubstring("both input and output"));
  CHECK_THAT(refused(workplace, {"cw", "in", "-o", "in/turned"}),
             ContainsSubstring("lies inside the input in"));
  CHECK_THAT(refused(workplace, {"cw", "in", "-o", "link/turned"}),
             ContainsSubstring("lies inside the input in"));
  CHECK_THAT(refused(workplace, {"cw", "in/a.png", "-o", "in/a.png", "--overwrite"}),
             ContainsSubstring("in/a.png: is an input as well; use --in-place"));
  CHECK_THAT(refused(workplace, {"cw", "in", "-o", "busy"}),
             ContainsSubstring("busy/a.png: is not a regular file"));
}

TEST_CASE("Two inputs that would write one output are refused") {
  Workplace workplace;
  workplace.add("in/a.tif", cli::encoded(picture, qturn::tiff::codec));
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("x/a.png", cli::png(picture));
  CHECK(refused(workplace, {"cw", "in", "-o", "out", "--format", "png"}) ==
        "qturn: in/a.png and in/a.tif would both be written to out/a.png; run them one after the "
        "other, each with its own output\n");
  CHECK_THAT(refused(workplace, {"cw", "in/a.png", "x/a.png", "-o", "out"}),
             ContainsSubstring("would both be written to out/a.png"));
}

TEST_CASE("A folder that must not be written to is refused before anything starts") {
  Workplace workplace;
  workplace.without_privileges = true;
  workplace.add("in/a.png", cli::png(picture));
  fs::create_directory(workplace.path() / "locked");
  ::chmod((workplace.path() / "locked").c_str(), 0500);
  const Result result = workplace.qturn({"cw", "in", "-o", "locked/out"});
  ::chmod((workplace.path() / "locked").c_str(), 0700);
  if (result.exit_code == 0) SKIP("this user may write to every folder");
  CHECK(result.exit_code == 2);
  CHECK(result.err == "qturn: " + (workplace.path() / "locked").string() +
                          ": cannot be written to: Permission denied; choose another output\n");
  CHECK(workplace.files("locked").empty());
}

TEST_CASE("Option --dry-run prints what would be done and writes nothing") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("in/note.txt", "note");
  const auto before = workplace.tree(".");
  const Result result = workplace.qturn({"cw", "in", "-o", "out", "--dry-run", "--others", "copy"});
  CHECK(result.exit_code == 0);
  // In the order in which the files lie on the disk.
  const std::vector<std::string> lines = result.out_lines();
  CHECK(std::set(lines.begin(), lines.end()) ==
        std::set<std::string>{"in/a.png -> out/a.png (rotate90, losslessly)",
                              "in/note.txt -> out/note.txt (copied)"});
  CHECK(workplace.qturn({"upright", "in", "--in-place", "--dry-run"}).out ==
        "in/a.png -> in/a.png (left alone: already upright)\n");
  CHECK(workplace
            .qturn({"augment", "in", "-o", "out", "--dry-run", "--variants", "flop,cw", "--labels",
                    "none"})
            .out ==
        "in/a.png -> out/a__flop.png (flop, losslessly)\n"
        "in/a.png -> out/a__rotate90.png (rotate90, losslessly)\n");
  CHECK(workplace.tree(".") == before);
  CHECK_FALSE(workplace.exists("out"));
}

TEST_CASE("Option --dry-run says how each picture would be turned, and what would be refused") {
  Workplace workplace;
  workplace.add("in/cut.jpg", cli::jpeg(cli::smooth_picture(33, 32)));
  workplace.add("in/whole.jpg", cli::jpeg(cli::smooth_picture(64, 48)));
  workplace.add("in/damaged.png", "\x89PNG\r\n\x1a\n");
  const auto before = workplace.tree(".");
  const auto planned = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--dry-run", "-q"});
    const Result result = workplace.qturn(words);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, StartsWith("qturn: in/damaged.png: truncated"));
    CHECK(workplace.tree(".") == before);
    return result.out;
  };
  CHECK_THAT(planned({"rotate180", "in", "-o", "out"}),
             ContainsSubstring("in/cut.jpg -> out/cut.jpg (rotate180, re-encoded with loss)\n"));
  CHECK_THAT(planned({"rotate180", "in", "-o", "out"}),
             ContainsSubstring("in/whole.jpg -> out/whole.jpg (rotate180, losslessly)\n"));
  CHECK_THAT(planned({"rotate180", "in", "--in-place"}),
             ContainsSubstring("in/cut.jpg -> in/cut.jpg (rotate180, by the tag alone)\n"));
  CHECK_THAT(planned({"rotate180", "in", "-o", "out", "--jpeg-edges", "trim"}),
             ContainsSubstring("(rotate180, losslessly, with edges trimmed)\n"));
  CHECK_THAT(planned({"upright", "in", "-o", "out"}),
             ContainsSubstring("in/cut.jpg -> out/cut.jpg (upright, copied byte for byte)\n"));
  const Result refused = workplace.qturn(
      {"rotate180", "in/cut.jpg", "-o", "out", "--jpeg-edges", "fail", "--dry-run"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("in/cut.jpg: cannot be turned without loss"));
}

TEST_CASE("Results have the mode and the time of their originals") {
  Workplace workplace;
  const fs::path original = workplace.add("in/a.png", cli::png(picture));
  ::chmod(original.c_str(), 0640);
  set_age(original, 1000);
  CHECK(workplace.qturn({"cw", "in", "-o", "out"}).exit_code == 0);
  const fs::path result = workplace.path() / "out/a.png";
  CHECK((fs::status(result).permissions() & fs::perms::all) == static_cast<fs::perms>(0640));
  CHECK(fs::last_write_time(result) == fs::last_write_time(original));
}

TEST_CASE(
    "An output with the suffix of a format that cannot be written is not taken for a folder") {
  Workplace workplace;
  workplace.add("a.png", cli::png(cli::random_picture(4, 3)));
  workplace.add("in/a.png", cli::png(cli::random_picture(4, 3)));
  for (const char* output : {"x.avif", "x.HEIC", "x.jxl", "x.jp2"}) {
    for (const char* input : {"a.png", "in"}) {
      const cli::Result result = workplace.qturn({"cw", input, "-o", output});
      CAPTURE(input, output);
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, Catch::Matchers::ContainsSubstring(
                                 ": this format cannot be written from others; jpeg, png, "));
      CHECK_FALSE(workplace.exists(output));
    }
  }
  workplace.add("y.avif/b.png", cli::png(cli::random_picture(4, 3)));
  CHECK(workplace.qturn({"cw", "in", "-o", "y.avif"}).exit_code == 0);
  CHECK(workplace.exists("y.avif/a.png"));
}
