// --in-place: files are replaced whole or stay as they were.
#include <sys/stat.h>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace in_place_test {

using namespace cli;
using qturn::Orientation;

namespace {

const Picture picture = random_picture(6, 4);
const Picture turned = cli::turned(picture, Orientation::rotate90);

}  // namespace

TEST_CASE_METHOD(
    Workplace, "Option --in-place replaces each file by the turned one, and leaves no other file") {
  const fs::path first = add("in/a.png", png(picture));
  add("in/x/b.tif", encoded(picture, qturn::tiff::codec));
  ::chmod(first.c_str(), 0640);
  done({"cw", "in", "--in-place"});
  CHECK(files("in") == Names{"a.png", "x/b.tif"});
  CHECK(pixels_of(first) == turned);
  CHECK(pixels_of(path() / "in/x/b.tif") == turned);
  CHECK((fs::status(first).permissions() & fs::perms::all) == static_cast<fs::perms>(0640));
}

TEST_CASE_METHOD(Workplace, "upright --in-place leaves an upright file untouched, and says so") {
  const fs::path path = add("in/a.png", png(picture));
  struct stat before, after;
  ::stat(path.c_str(), &before);
  const Result result = qturn({"upright", "in", "--in-place", "-v"});
  ::stat(path.c_str(), &after);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring("in/a.png: already upright\n"));
  CHECK_THAT(result.err, ContainsSubstring("0 of 1 picture written, 1 already upright"));
  CHECK(before.st_ino == after.st_ino);
  CHECK(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec);
}

TEST_CASE_METHOD(Workplace, "upright --in-place run twice turns a tagged PNG once") {
  add("a.png", tagged_png(picture, 6));
  for (int run = 0; run < 2; ++run) {
    done({"upright", "a.png", "--in-place"});
    const Decoded result = decoded(path() / "a.png");
    CHECK(result.stored == Orientation::identity);
    CHECK(result.pages.front() == turned);
  }
}

TEST_CASE_METHOD(
    Workplace,
    "In place, a JPEG is turned if nothing is lost, and otherwise tagged or left alone") {
  const Picture whole = smooth_picture(24, 16), cut = smooth_picture(27, 19);
  add("up/whole.jpg", tagged_jpeg(whole, 6));
  add("up/cut.jpg", tagged_jpeg(cut, 6));
  Result result = done({"upright", "up", "--in-place"});
  CHECK(content("up/cut.jpg") == tagged_jpeg(cut, 6));
  CHECK_THAT(result.err,
             !ContainsSubstring("up/cut.jpg") &&
                 ContainsSubstring("qturn: warning: 1 JPEG was left as it was, because a turn "
                                   "would not be lossless; viewers still apply the orientation "
                                   "tag; --jpeg-edges reencode or trim turns it, -v names it\n"));
  CHECK_THAT(result.err, ContainsSubstring("1 of 2 pictures written (1 losslessly), 1 left alone "
                                           "because a turn would not be lossless"));
  const Decoded upright = decoded(path() / "up/whole.jpg");
  CHECK(upright.stored == Orientation::identity);
  CHECK(upright.pages.front().width == 16);
  const std::string named = qturn({"upright", "up", "--in-place", "-v"}).err;
  CHECK_THAT(named, ContainsSubstring("up/cut.jpg: left as it is: it cannot be turned without "
                                      "loss, because an edge cuts through a block\n"));
  // Four quarter turns give back the file, except for the tag.
  for (int i = 0; i < 3; ++i) qturn({"cw", "up/whole.jpg", "--in-place"});
  CHECK(content("up/whole.jpg").size() == tagged_jpeg(whole, 1).size());
  CHECK(pixels_of(path() / "up/whole.jpg").bytes == pixels_of(add("whole.jpg", jpeg(whole))).bytes);

  add("cw/cut.jpg", tagged_jpeg(cut, 6));
  result = qturn({"cw", "cw", "--in-place"});
  CHECK(result.exit_code == 0);
  CHECK(content("cw/cut.jpg") == tagged_jpeg(cut, 3));
  CHECK_THAT(result.err, ContainsSubstring("(1 by the orientation tag alone)"));

  // Where the turn undoes the tag no pixel moves.
  add("in/tagged.jpg", tagged_jpeg(whole, 8));
  done({"cw", "in/tagged.jpg", "--in-place"});
  CHECK(content("in/tagged.jpg") == tagged_jpeg(whole, 1));
}

TEST_CASE_METHOD(
    Workplace,
    "In place, a file whose storage would change is refused by name and stays as it was") {
  const std::string text = "P2\n2 1\n255\n255 0\n";
  add("a.pgm", text);
  failed({"cw", "a.pgm", "--in-place"}, {"a.pgm: not turned in place, because ", "; use -o\n"});
  CHECK(content("a.pgm") == text);

  done({"cw", "a.pgm", "-o", "out"});
  CHECK(pixels_of(path() / "out/a.pgm") == Picture{1, 2, 1, qturn::SampleFormat::u8, {255, 0}});
}

TEST_CASE_METHOD(Workplace,
                 "In place, no other format can be written, and other files are not touched") {
  add("in/a.png", png(picture));
  add("in/note.txt", "note");
  refused({"cw", "in", "--in-place", "--format", "tiff"},
          "another format gives a file another suffix, so it cannot be changed in place; name an "
          "output with -o");
  done({"cw", "in", "--in-place", "--others", "copy"});
  CHECK(content("in/note.txt") == "note");
}

}  // namespace in_place_test
