// The operations on real files: every orientation, every format, what is stored and what is shown.
#include <utility>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace turn_test {

using namespace cli;
using namespace qturn;
using qturn::Orientation;
using qturn::SampleFormat;

namespace {

const std::pair<const char*, Orientation> operations[] = {
    {"rotate90", Orientation::rotate90},
    {"cw", Orientation::rotate90},
    {"rotate180", Orientation::rotate180},
    {"rotate270", Orientation::rotate270},
    {"ccw", Orientation::rotate270},
    {"transpose", Orientation::transpose},
    {"transverse", Orientation::transverse},
    {"anti-transpose", Orientation::transverse},
    {"flip", Orientation::flip},
    {"vflip", Orientation::flip},
    {"flop", Orientation::flop},
    {"hflip", Orientation::flop},
    {"upright", Orientation::identity}};

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "Every operation, by every name, moves each pixel of a PNG to its place") {
  const Picture picture = random_picture(37, 23);
  add("in/a.png", cli::png(picture));
  for (const auto& [name, orientation] : operations) {
    CAPTURE(name);
    done({name, "in", "-o", name});
    CHECK(pixels_of(path() / name / "a.png") == turned(picture, orientation));
  }
}

TEST_CASE_METHOD(
    Workplace,
    "Operations act on the picture as a viewer shows it, and the result is stored upright") {
  const Picture picture = random_picture(37, 23, 4);
  for (const Orientation stored : qturn::all_orientations) {
    CAPTURE(name(stored));
    const std::string file = "in/" + std::string(name(stored)) + ".png";
    // What is stored so that applying the tag gives `picture`.
    add(file, tagged_png(turned(picture, inverse(stored)), static_cast<int>(stored)));
  }
  for (const auto& [operation, orientation] : operations) {
    CAPTURE(operation);
    done({operation, "in", "-o", operation});
    for (const Orientation stored : qturn::all_orientations) {
      CAPTURE(name(stored));
      const Decoded result = decoded(path() / operation / (std::string(name(stored)) + ".png"));
      CHECK(result.stored == Orientation::identity);
      CHECK(result.pages.front() == turned(picture, orientation));
    }
  }
}

TEST_CASE_METHOD(
    Workplace,
    "Without the module for OpenImageIO its pictures fail by name, and stay; others are turned") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("the run path of such a build comes before LD_LIBRARY_PATH");
#endif
  const std::string png = cli::png(random_picture(29, 17, 3));
  const std::string exr = encoded(random_picture(29, 17, 3, SampleFormat::f16), openexr::codec);
  add("in/a.exr", exr);
  add("in/b.png", png);
  add("lib/libqturn_openimageio.so", "not a library");
  environment["LD_LIBRARY_PATH"] = path() / "lib";
  failed({"cw", "in", "--in-place"}, {"in/a.exr: this format needs libqturn_openimageio.so",
                                      "cannot be loaded", "install qturn again"});
  CHECK(content_of(path() / "in/a.exr") == exr);
  CHECK(decoded(path() / "in/b.png").pages.front().width == 17);
}

TEST_CASE_METHOD(Workplace, "A file that grows four times says so, with both sizes") {
  // 400 rows of 1000 pixels: run lengths of 255 at most.
  constexpr auto& number = qturn::tests::in_little_endian;
  std::string rows;
  for (int y = 0; y < 400; ++y) rows += std::string("\xFF\1\xFF\2\xFF\3\xEB\4\0\0", 10);
  rows += std::string("\0\1", 2);
  const std::string header = number(40, 4) + number(1000, 4) + number(400, 4) + number(1, 2) +
                             number(8, 2) + number(1, 4) + number(0, 4) + number(0, 16);
  const auto offset = static_cast<std::uint32_t>(14 + 40 + 1024);
  const std::string file = "BM" + number(offset + static_cast<std::uint32_t>(rows.size()), 4) +
                           number(0, 4) + number(offset, 4) + header + std::string(1024, '\x55') +
                           rows;
  add("a.bmp", file);
  done({"cw", "a.bmp", "-o", "out"},
       "warning: a.bmp: the turned file is 78 times as large: 391 KiB, before 4 KiB");
  failed({"cw", "a.bmp", "-o", "strict", "--strict"});
  // What is asked for is no surprise.
  CHECK(done({"cw", "a.bmp", "-o", "a.tif", "--strict", "-q"}).err.empty());
}

TEST_CASE_METHOD(
    Workplace,
    "A picture with another format's suffix is read by its content, and keeps its format") {
  const Picture picture = random_picture(9, 5);
  add("in/really-png.jpg", cli::png(picture));
  add("in/really-png", cli::png(picture));
  add("in/really-png.txt", cli::png(picture));
  done({"rotate90", "in", "-o", "out"});
  for (const char* name : {"really-png.jpg", "really-png", "really-png.txt"}) {
    CAPTURE(name);
    const Decoded after = decoded(path() / "out" / name);
    CHECK(after.format == &png::codec);
    CHECK(after.pages.front() == turned(picture, Orientation::rotate90));
  }
}

TEST_CASE_METHOD(Workplace, "Option --format writes another format, under its suffix") {
  const Picture picture = random_picture(9, 5);
  add("in/a.tif", encoded(picture, tiff::codec));
  add("in/b.ppm", encoded(picture, pnm::codec));
  add("in/c.PNG", cli::png(picture));
  add("in/d.png", cli::png(random_picture(6, 4, 4, SampleFormat::u16)));
  done({"flip", "in", "-o", "png", "--format", "png"});
  CHECK(files("png") == std::set<std::string>{"a.png", "b.png", "c.PNG", "d.png"});
  for (const char* name : {"a.png", "b.png", "c.PNG"}) {
    CAPTURE(name);
    const Decoded after = decoded(path() / "png" / name);
    CHECK(after.format == &png::codec);
    CHECK(after.pages.front() == turned(picture, Orientation::flip));
  }

  const Result jpegs = failed({"flip", "in", "-o", "jpg", "--format", "jpg"});
  CHECK(files("jpg") == std::set<std::string>{"a.jpg", "b.jpg", "c.jpg"});
  CHECK_THAT(jpegs.err,
             ContainsSubstring("in/d.png: samples of type uint16 cannot be kept in jpeg"));
}

}  // namespace turn_test
