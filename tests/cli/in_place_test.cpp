// --in-place: files are replaced whole or stay as they were.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Picture;
using cli::Result;
using cli::Workplace;
using qturn::Orientation;
using Names = std::set<std::string>;

namespace {

const Picture picture = cli::random_picture(6, 4);
const Picture turned = cli::turned(picture, Orientation::rotate90);

}  // namespace

TEST_CASE("Option --in-place replaces each file by the turned one, and leaves no other file") {
  Workplace workplace;
  const fs::path first = workplace.add("in/a.png", cli::png(picture));
  workplace.add("in/x/b.tif", cli::encoded(picture, qturn::tiff::codec));
  ::chmod(first.c_str(), 0640);
  CHECK(workplace.qturn({"cw", "in", "--in-place"}).exit_code == 0);
  CHECK(workplace.files("in") == Names{"a.png", "x/b.tif"});
  CHECK(cli::pixels_of(first) == turned);
  CHECK(cli::pixels_of(workplace.path() / "in/x/b.tif") == turned);
  CHECK((fs::status(first).permissions() & fs::perms::all) == static_cast<fs::perms>(0640));
}

TEST_CASE("upright --in-place leaves an upright file untouched, and says so") {
  Workplace workplace;
  const fs::path path = workplace.add("in/a.png", cli::png(picture));
  struct stat before, after;
  ::stat(path.c_str(), &before);
  const Result result = workplace.qturn({"upright", "in", "--in-place", "-v"});
  ::stat(path.c_str(), &after);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring("in/a.png: already upright\n"));
  CHECK_THAT(result.err, ContainsSubstring("0 of 1 picture written, 1 already upright"));
  CHECK(before.st_ino == after.st_ino);
  CHECK(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
}

TEST_CASE("upright --in-place run twice turns a tagged PNG once") {
  Workplace workplace;
  workplace.add("a.png", cli::tagged_png(picture, 6));
  for (int run = 0; run < 2; ++run) {
    CHECK(workplace.qturn({"upright", "a.png", "--in-place"}).exit_code == 0);
    const cli::Decoded result = cli::decoded(workplace.path() / "a.png");
    CHECK(result.stored == Orientation::identity);
    CHECK(result.pages.front() == turned);
  }
}

TEST_CASE("In place, a JPEG is turned if nothing is lost, and otherwise tagged or left alone") {
  Workplace workplace;
  const Picture whole = cli::smooth_picture(24, 16), cut = cli::smooth_picture(27, 19);
  workplace.add("up/whole.jpg", cli::tagged_jpeg(whole, 6));
  workplace.add("up/cut.jpg", cli::tagged_jpeg(cut, 6));
  Result result = workplace.qturn({"upright", "up", "--in-place"});
  CHECK(result.exit_code == 0);
  CHECK(workplace.content("up/cut.jpg") == cli::tagged_jpeg(cut, 6));
  CHECK_THAT(result.err, !ContainsSubstring("up/cut.jpg") &&
                             ContainsSubstring("qturn: 1 JPEG was left as it was and shown upright "
                                               "by the orientation tag: a turn would not be "
                                               "lossless; --jpeg-edges reencode or trim turns it, "
                                               "-v names it\n"));
  CHECK_THAT(result.err, ContainsSubstring("1 of 2 pictures written, 1 of them losslessly, "
                                           "1 left alone because a turn would not be lossless"));
  const cli::Decoded upright = cli::decoded(workplace.path() / "up/whole.jpg");
  CHECK(upright.stored == Orientation::identity);
  CHECK(upright.pages.front().width == 16);
  const std::string named = workplace.qturn({"upright", "up", "--in-place", "-v"}).err;
  CHECK_THAT(named,
             ContainsSubstring("up/cut.jpg: left as it is: it cannot be turned without loss, "
                               "because an edge cuts through a block\n"));
  // Four quarter turns give back the file, except for the tag.
  for (int i = 0; i < 3; ++i) workplace.qturn({"cw", "up/whole.jpg", "--in-place"});
  CHECK(workplace.content("up/whole.jpg").size() == cli::tagged_jpeg(whole, 1).size());
  CHECK(cli::pixels_of(workplace.path() / "up/whole.jpg").bytes ==
        cli::pixels_of(workplace.add("whole.jpg", cli::jpeg(whole))).bytes);

  workplace.add("cw/cut.jpg", cli::tagged_jpeg(cut, 6));
  result = workplace.qturn({"cw", "cw", "--in-place"});
  CHECK(result.exit_code == 0);
  CHECK(workplace.content("cw/cut.jpg") == cli::tagged_jpeg(cut, 3));
  CHECK_THAT(result.err, ContainsSubstring("1 of them by the tag alone"));

  // Where the turn undoes the tag no pixel moves.
  workplace.add("in/tagged.jpg", cli::tagged_jpeg(whole, 8));
  CHECK(workplace.qturn({"cw", "in/tagged.jpg", "--in-place"}).exit_code == 0);
  CHECK(workplace.content("in/tagged.jpg") == cli::tagged_jpeg(whole, 1));
}

TEST_CASE("In place, a file whose storage would change is refused by name and stays as it was") {
  Workplace workplace;
  const std::string text = "P2\n2 1\n255\n255 0\n";
  workplace.add("a.pgm", text);
  const Result result = workplace.qturn({"cw", "a.pgm", "--in-place"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring("a.pgm: not turned in place, because ") &&
                             ContainsSubstring("; use -o\n"));
  CHECK(workplace.content("a.pgm") == text);

  CHECK(workplace.qturn({"cw", "a.pgm", "-o", "out"}).exit_code == 0);
  CHECK(cli::pixels_of(workplace.path() / "out/a.pgm") ==
        Picture{1, 2, 1, qturn::SampleFormat::u8, {255, 0}});
}

TEST_CASE("In place, a PNG of one bit per pixel keeps it, and so does an interlaced one") {
  for (const bool interlaced : {false, true}) {
    Workplace workplace;
    // Two pixels, white and black, in one byte behind the filter's; interlaced, one in a byte for
    // each of two passes.
    std::string one_bit = cli::png(interlaced ? Picture{1, 2, 1, qturn::SampleFormat::u8, {0x80, 0}}
                                              : Picture{1, 1, 1, qturn::SampleFormat::u8, {0x80}});
    std::string header("\0\0\0\x02\0\0\0\x01\x01\0\0\0\0", 13);
    header.back() = interlaced;
    one_bit.replace(8, 25, cli::png_chunk("IHDR", header));
    workplace.add("a.png", one_bit);
    CHECK(workplace.qturn({"cw", "a.png", "--in-place"}).exit_code == 0);
    CHECK(cli::pixels_of(workplace.path() / "a.png") ==
          Picture{1, 2, 1, qturn::SampleFormat::u8, {1, 0}});
    CHECK(workplace.content("a.png")[24] == 1);           // bits
    CHECK(workplace.content("a.png")[28] == interlaced);  // as it was
  }
}

TEST_CASE("A symbolic link given by name is written through to its target") {
  Workplace workplace;
  const fs::path target = workplace.add("store/a.png", cli::png(picture));
  fs::create_symlink("store/a.png", workplace.path() / "link.png");
  CHECK(workplace.qturn({"cw", "link.png", "--in-place"}).exit_code == 0);
  CHECK(fs::is_symlink(workplace.path() / "link.png"));
  CHECK_FALSE(fs::is_symlink(target));
  CHECK(cli::pixels_of(target) == turned);
}

TEST_CASE("A file with hard links is refused in place, unless --break-links") {
  Workplace workplace;
  const fs::path path = workplace.add("in/a.png", cli::png(picture));
  fs::create_hard_link(path, workplace.path() / "other.png");
  const std::string before = workplace.content("other.png");

  const Result refused = workplace.qturn({"cw", "in", "--in-place"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "qturn: in/a.png has other names (hard links), which would stay as they are; "
        "--break-links turns the named ones only\n");
  CHECK(workplace.content("in/a.png") == before);

  CHECK(workplace.qturn({"cw", "in", "--in-place", "--break-links"}).exit_code == 0);
  CHECK(cli::pixels_of(path) == turned);
  CHECK(workplace.content("other.png") == before);
}

TEST_CASE("In place, no other format can be written, and other files are not touched") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  workplace.add("in/note.txt", "note");
  const auto before = workplace.tree(".");
  const Result refused = workplace.qturn({"cw", "in", "--in-place", "--format", "tiff"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(
      refused.err,
      ContainsSubstring("another format gives a file another suffix, so it cannot be changed in "
                        "place; name an output with -o"));
  CHECK(workplace.tree(".") == before);
  CHECK(workplace.qturn({"cw", "in", "--in-place", "--others", "copy"}).exit_code == 0);
  CHECK(workplace.content("in/note.txt") == "note");
}

TEST_CASE("A file that is named twice is turned once") {
  Workplace workplace;
  workplace.add("in/a.png", cli::png(picture));
  CHECK(workplace.qturn({"cw", "in/a.png", "in/a.png", "in", "--in-place"}).exit_code == 0);
  CHECK(cli::pixels_of(workplace.path() / "in/a.png") == turned);
}
