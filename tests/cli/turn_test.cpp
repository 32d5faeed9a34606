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

/// The largest difference of two samples; 256 if the shapes differ.
int largest_difference(const Picture& a, const Picture& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return 256;
  int largest = 0;
  for (std::size_t i = 0; i < a.bytes.size(); ++i)
    largest = std::max(largest, std::abs(int{a.bytes[i]} - int{b.bytes[i]}));
  return largest;
}

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
    "A JPEG's stored orientation is honoured, and its pixels stay what they were nearly") {
  const Picture picture = smooth_picture(64, 48);
  for (const Orientation stored : qturn::all_orientations)
    add("in/" + std::string(name(stored)) + ".jpg",
        tagged_jpeg(turned(picture, inverse(stored)), static_cast<int>(stored)));
  done({"rotate90", "in", "-o", "out"});

  add("upright.jpg", cli::jpeg(picture));
  const Picture wanted = turned(pixels_of(path() / "upright.jpg"), Orientation::rotate90);
  for (const Orientation stored : qturn::all_orientations) {
    CAPTURE(name(stored));
    const Decoded result = decoded(path() / "out" / (std::string(name(stored)) + ".jpg"));
    CHECK(result.stored == Orientation::identity);
    CHECK(largest_difference(result.pages.front(), wanted) <= 2);
  }
}

TEST_CASE_METHOD(Workplace, "upright copies an upright file byte for byte, with its time") {
  const Picture picture = smooth_picture(20, 30);
  const std::string plain = cli::png(picture) + "left over";
  add("in/plain.png", plain);
  add("in/plain.jpg", cli::jpeg(picture));
  add("in/tagged.jpg", tagged_jpeg(picture, 1));
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1000);
  std::filesystem::last_write_time(path() / "in/plain.png", long_ago);

  done({"upright", "in", "-o", "out"}, "(3 copied byte for byte)");
  CHECK(tree("out") == tree("in"));
  CHECK(std::filesystem::last_write_time(path() / "out/plain.png") == long_ago);
}

TEST_CASE_METHOD(Workplace, "Where the turn undoes the tag, only the tag is changed") {
  const std::string file = tagged_jpeg(smooth_picture(20, 30), 8);
  add("in/a.jpg", file);
  done({"rotate90", "in", "-o", "out"}, "(1 by the orientation tag alone)");

  std::string wanted = file;
  wanted[wanted.find(exif_body(8)) + 18] = 1;
  CHECK(content("out/a.jpg") == wanted);
}

TEST_CASE_METHOD(Workplace, "Each format keeps samples, channels and pages") {
  struct Case {
    const char* file;
    const Codec* format = nullptr;
    int channels;
    SampleFormat type;
  };
  const Case cases[] = {
      {"grey.png", &png::codec, 1, SampleFormat::u8},
      {"alpha.png", &png::codec, 2, SampleFormat::u8},
      {"rgba.png", &png::codec, 4, SampleFormat::u8},
      {"rgb16.png", &png::codec, 3, SampleFormat::u16},
      {"rgba16.png", &png::codec, 4, SampleFormat::u16},
      {"rgb.tif", &tiff::codec, 3, SampleFormat::u8},
      {"rgba.tif", &tiff::codec, 4, SampleFormat::u8},
      {"rgb16.tif", &tiff::codec, 3, SampleFormat::u16},
      {"grey32.tif", &tiff::codec, 1, SampleFormat::u32},
      {"float.tif", &tiff::codec, 3, SampleFormat::f32},
      {"half.exr", &openexr::codec, 3, SampleFormat::f16},
      {"float.exr", &openexr::codec, 3, SampleFormat::f32},
      {"rgb.bmp", &bmp::codec, 3, SampleFormat::u8},
      {"grey.pgm", &pnm::codec, 1, SampleFormat::u8},
      {"rgb.ppm", &pnm::codec, 3, SampleFormat::u8},
      {"rgb.tga", &tga::codec, 3, SampleFormat::u8},
      {"rgba.tga", &tga::codec, 4, SampleFormat::u8},
  };
  for (const Case& c : cases) {
    const Picture picture = random_picture(29, 17, c.channels, c.type);
    add("in/" + std::string(c.file),
        c.format == &png::codec ? cli::png(picture) : encoded(picture, *c.format));
  }

  done({"transverse", "in", "-o", "out"}, std::to_string(std::size(cases)) + " of ");
  for (const Case& c : cases) {
    CAPTURE(c.file);
    const Decoded before = decoded(path() / "in" / c.file);
    const Decoded after = decoded(path() / "out" / c.file);
    CHECK(after.format == c.format);
    CHECK(before.pages.front().type == c.type);
    CHECK(after.pages.front() == turned(before.pages.front(), Orientation::transverse));
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
  const auto number = [](std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
    return text;
  };
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

TEST_CASE_METHOD(Workplace, "All pages of a TIFF are turned") {
  const std::vector pages = {random_picture(11, 7, 1, SampleFormat::u8, 1),
                             random_picture(5, 13, 3, SampleFormat::u16, 2),
                             random_picture(8, 8, 4, SampleFormat::u8, 3)};
  add("in/pages.tif", encoded(pages, tiff::codec));
  done({"rotate270", "in", "-o", "out"});
  const Decoded result = decoded(path() / "out/pages.tif");
  REQUIRE(result.pages.size() == pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i)
    CHECK(result.pages[i] == turned(pages[i], Orientation::rotate270));
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

TEST_CASE_METHOD(Workplace,
                 "The same input gives the same output tree with one thread and with eight") {
  for (int i = 0; i < 24; ++i) {
    const std::string number = std::to_string(i);
    const Picture picture = random_picture(20 + i * 7, 90 - i * 3, 1 + i % 4, SampleFormat::u8,
                                           static_cast<std::uint64_t>(i));
    add("in/" + number + ".png", cli::png(picture));
    if (i % 3 == 0)
      add("in/sub/" + number + ".jpg", tagged_jpeg(smooth_picture(20 + i, 40), 1 + i % 8));
  }
  done({"transpose", "in", "-o", "one", "-j", "1"});
  done({"transpose", "in", "-o", "eight", "-j", "8"});
  CHECK(tree("one").size() == 32);
  CHECK(tree("one") == tree("eight"));
}

}  // namespace turn_test
