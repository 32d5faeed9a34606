// Bad files among good ones: each is named with what is wrong, the good ones are done, nothing is
// lost and nothing half-written is left.
#include <sys/stat.h>

#include <map>
#include <sstream>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace damage_test {

using namespace cli;

namespace {

const Picture picture = random_picture(40, 30);

using Messages = std::map<std::string, std::string>;

/// Turns a folder with a good picture and these bad ones, by name, with -o and in place. Each bad
/// one must fail alone and leave no output. Returns what the program says of each.
Messages complaints(const Messages& bad_files, const std::string& operation = "cw") {
  Workplace workplace;
  workplace.add("in/good.png", cli::png(picture));
  for (const auto& [name, content] : bad_files) workplace.add("in/" + name, content);
  const auto before = workplace.tree("in");

  const Result result = workplace.failed({operation, "in", "-o", "out", "--quiet"});
  CHECK(workplace.files("out") == Names{"good.png"});
  Messages messages;
  const std::string start = "qturn: in/";
  std::istringstream lines(result.err);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    REQUIRE_THAT(line, StartsWith(start));
    const std::size_t end = line.find(": ", start.size());
    REQUIRE(end != line.npos);
    CHECK(messages.emplace(line.substr(start.size(), end - start.size()), line.substr(end + 2))
              .second);
  }
  for (const auto& [name, content] : bad_files) {
    CAPTURE(name);
    CHECK(messages.contains(name));
  }
  CHECK(messages.size() == bad_files.size());

  if (operation != "upright") {  // which leaves upright files alone in place, unread
    workplace.failed({operation, "in", "--in-place", "--quiet"});
    const auto after = workplace.tree("in");
    CHECK(after.size() == before.size());
    for (const auto& file : before)
      if (file.first != "good.png") CHECK(after.contains(file));
  }
  return messages;
}

std::string complaint(const std::string& name, const std::string& content) {
  return complaints({{name, content}})[name];
}

/// The file cut to each of these lengths, under a name that says how long it is.
Messages cut(const std::string& file, const std::string& suffix,
             const std::vector<std::size_t>& kept) {
  Messages files;
  for (const std::size_t bytes : kept)
    files.emplace(std::to_string(bytes) + suffix, file.substr(0, bytes));
  return files;
}

}  // namespace

TEST_CASE("Empty files, and text with a picture's suffix, are failures") {
  const std::string no_picture =
      "not a picture in a format that qturn reads, whatever its name says";
  CHECK(complaints({{"empty.jpg", ""},
                    {"empty.png", ""},
                    {"text.jpg", "Dear diary,\n"},
                    {"text.tga", "Dear diary, today I named a text .tga\n"}}) ==
        Messages{{"empty.jpg", "the file is empty"},
                 {"empty.png", "the file is empty"},
                 {"text.jpg", no_picture},
                 {"text.tga", no_picture}});
}

TEST_CASE("A JPEG cut anywhere is a failure, never a grey picture") {
  const std::pair<const char*, std::string> files[] = {
      {"-smooth.jpg", cli::jpeg(smooth_picture(96, 80))},
      {"-random.jpg", cli::jpeg(picture)},
      {"-grey.jpg", tagged_jpeg(smooth_picture(96, 80, 1), 6)}};
  Messages bad;
  // The last two bytes are the marker of the end, and without them the picture is whole.
  for (const auto& [name, file] : files)
    bad.merge(cut(file, name,
                  {20, file.size() / 4, file.size() / 2, file.size() * 9 / 10, file.size() - 4}));
  const Messages messages = complaints(bad);
  const std::size_t half = files[1].second.size() / 2;
  CHECK_THAT(messages.at(std::to_string(half) + "-random.jpg"), StartsWith("truncated after "));
}

TEST_CASE("A progressive JPEG cut after any scan is a failure, never a blurred picture") {
  const std::string file = content_of(testdata() / "samples/camera roll/cat.jpg");
  const std::string start_of_scan("\xff\xda"), end_of_image("\xff\xd9");
  Messages bad;
  std::size_t at = file.find(start_of_scan);
  while ((at = file.find(start_of_scan, at + 2)) != file.npos) {
    bad["cut-" + std::to_string(at) + ".jpg"] = file.substr(0, at);
    // With an end marker after it, libjpeg itself sees nothing wrong.
    bad["ended-" + std::to_string(at) + ".jpg"] = file.substr(0, at) + end_of_image;
  }
  CHECK(bad.size() > 10);
  for (const auto& [name, message] : complaints(bad)) {
    CAPTURE(name);
    if (name.starts_with("cut-"))
      CHECK_THAT(message, StartsWith("truncated after "));
    else
      CHECK(message == "the last scans of the progressive picture are missing");
  }
}

TEST_CASE("A PNG cut anywhere is a failure, never a grey picture") {
  const std::string file = cli::png(picture);
  for (const auto& [name, message] :
       complaints(cut(file, ".png", {9, 40, file.size() / 2, file.size() - 14, file.size() - 1}))) {
    CAPTURE(name);
    CHECK_THAT(message, StartsWith("truncated"));
  }
}

TEST_CASE_METHOD(
    Workplace,
    "A PNM with several pictures or with a comment stays as it was in place and strictly") {
  const std::string one = "P6\n1 1\n255\nabc";
  add("in/several.ppm", one + one);
  add("in/comment.ppm", "P6\n# by hand\n1 1\n255\nabc");
  add("in/behind.ppm", one + "d");
  const auto before = tree("in");
  failed({"cw", "in", "--in-place", "--strict"},
         {"in/several.ppm: holds several pictures\n",
          "in/comment.ppm: its comments are not kept (--strict)",
          "in/behind.ppm: 1 bytes after the pixels"});
  CHECK(tree("in") == before);
}

TEST_CASE_METHOD(
    Workplace,
    "Bytes after a TIFF, a BMP and an HDR are lost with a warning, and a failure with --strict") {
  const Picture three = random_picture(3, 2);
  add("in/a.tif", encoded(three, qturn::tiff::codec) + "lost");
  add("in/b.bmp", encoded(three, qturn::bmp::codec) + "lost");
  add("in/c.hdr",
      "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 3\n" + std::string(24, 'p') + "lost");
  const auto before = tree("in");
  failed({"cw", "in", "--in-place", "--strict"});
  CHECK(tree("in") == before);
  done({"upright", "in", "-o", "copied", "--strict"});
  CHECK(content("copied/c.hdr") == content("in/c.hdr"));
  const Result result = done({"cw", "in", "-o", "out"});
  for (const char* name : {"a.tif", "b.bmp", "c.hdr"}) {
    CHECK_THAT(result.err, ContainsSubstring("warning: in/" + std::string(name) +
                                             ": 4 bytes after the picture are not kept"));
  }
}

TEST_CASE_METHOD(
    Workplace,
    "What only encoding would lose is not a warning if a picture is copied or retagged") {
  const std::string upright = cli::png(picture) + "trail",
                    tagged = tagged_png(picture, 6) + "trail";
  add("upright.png", upright);
  add("tagged.png", tagged);
  const Result copied = done({"upright", "upright.png", "-o", "out/", "--strict"});
  CHECK(copied.err.find("not kept") == copied.err.npos);
  CHECK(content("out/upright.png") == upright);
  // A turn that undoes the tag.
  const Result retagged = done({"ccw", "tagged.png", "-o", "out/", "--strict"});
  CHECK(retagged.err.find("not kept") == retagged.err.npos);
  CHECK_THAT(content("out/tagged.png"), Catch::Matchers::EndsWith("trail"));

  failed({"cw", "upright.png", "-o", "turned/", "--strict"},
         "5 bytes after the end of the PNG are not kept");
}

TEST_CASE("upright does not copy a damaged picture as if it were whole") {
  const std::string jpeg = cli::jpeg(smooth_picture(96, 80)), png = cli::png(picture);
  for (const auto& [name, message] : complaints({{"cut.jpg", jpeg.substr(0, jpeg.size() / 2)},
                                                 {"cut.png", png.substr(0, png.size() / 2)}},
                                                "upright")) {
    CAPTURE(name);
    CHECK_THAT(message, StartsWith("truncated"));
  }
}

TEST_CASE("A flipped bit in a PNG is a failure") {
  std::string file = cli::png(picture);
  file[file.size() / 2] ^= 1;
  CHECK(complaint("flipped.png", file) == "damaged: wrong checksum of a PNG chunk (IDAT)");
}

TEST_CASE("Every cut TIFF, WebP, EXR, BMP and PNM is a failure") {
  const Picture half = random_picture(40, 30, 3, qturn::SampleFormat::f16);
  const std::pair<const char*, std::string> files[] = {
      {".tif", encoded(picture, qturn::tiff::codec)},
      {".webp", content_of(testdata() / "samples/graphics/coffee.webp")},
      {".exr", encoded(half, qturn::openexr::codec)},
      {".bmp", encoded(picture, qturn::bmp::codec)},
      {".ppm", encoded(picture, qturn::pnm::codec)}};
  Messages bad;
  for (const auto& [suffix, file] : files)
    bad.merge(cut(file, suffix, {file.size() / 3, file.size() / 2, file.size() - 40}));
  complaints(bad);
}

TEST_CASE_METHOD(Workplace, "A file that must not be read is named, and the rest is done") {
  without_privileges = true;
  add("in/good.png", cli::png(picture));
  const fs::path secret = add("in/secret.png", cli::png(picture));
  ::chmod(secret.c_str(), 0);
  const Result result = qturn({"cw", "in", "-o", "out", "--quiet"});
  if (result.exit_code == 0) SKIP("this user may read every file");
  CHECK(result.exit_code == 1);
  CHECK(result.err == "qturn: in/secret.png: cannot read: Permission denied\n");
  CHECK(files("out") == Names{"good.png"});
}

TEST_CASE("An Exif block too damaged to tell the orientation is a failure") {
  std::string file = tagged_jpeg(smooth_picture(24, 16), 6);
  const std::size_t count = file.find("II*") + 8;
  file[count] = 9;  // nine entries are claimed, and the block ends after one
  file[count + 2] = 0;
  CHECK(complaint("exif.jpg", file) == "the Exif block is damaged where its orientation would be");
}

TEST_CASE("An Exif header that some programs read and others do not is a failure") {
  std::string block = qturn::tests::exif_fixture({});
  std::swap(block[2], block[3]);
  const std::string sentence =
      "the Exif block has a header that some programs read and others do not, so its orientation "
      "cannot be told";
  const Picture tagged = smooth_picture(64, 48);
  const std::string segment = qturn::tests::jpeg_segment(0xE1, std::string("Exif\0\0", 6) + block);
  CHECK(complaint("header.jpg", cli::jpeg(tagged).insert(2, segment)) == sentence);
  CHECK(complaint("header.png", cli::png(tagged, png_chunk("eXIf", block))) == sentence);
}

TEST_CASE("A PNG that claims more pixels than its bytes can hold is refused by name") {
  std::string file = cli::png({1, 1, 4, qturn::SampleFormat::u16, std::vector<unsigned char>(8)});
  const std::string header = qturn::tests::in_big_endian(1'000'000, 4) +
                             qturn::tests::in_big_endian(1'000'000, 4) +
                             std::string("\x10\x06\0\0\0", 5);
  file.replace(8, 25, png_chunk("IHDR", header));
  CHECK(complaint("vast.png", file) ==
        "damaged: 1000000 x 1000000 pixels cannot come from 20 bytes");
}

TEST_CASE("A picture that claims more pixels than any picture has is refused by name") {
  const std::string vast = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 6 +X 2000000000\n";
  CHECK_THAT(complaint("vast.hdr", vast + std::string(24, 'x')),
             StartsWith("12000000000 pixels, more than the limit of "));
}

TEST_CASE_METHOD(Workplace, "An output that appears while the run goes on is not replaced") {
  // --dry-run and the refusal before the start cannot see it; the write itself must.
  for (int i = 0; i < 40; ++i)
    add("in/" + std::to_string(100 + i) + ".png", cli::png(random_picture(40, 30)));
  signal_at(SIGSTOP, "100.png");
  const auto running = start({"cw", "in", "-o", "out", "-j", "1", "--quiet"});
  REQUIRE(running.wait_until_stopped());
  add("out/139.png", "somebody else's");
  running.signal(SIGCONT);
  const Result result = running.wait();
  CHECK(result.exit_code == 1);
  CHECK(result.err == "qturn: in/139.png: cannot write out/139.png: File exists\n");
  CHECK(content("out/139.png") == "somebody else's");
}

TEST_CASE_METHOD(Workplace, "A standard error that cannot be written stops no picture") {
  if (!fs::exists("/dev/full")) SKIP("there is no /dev/full");
  add("in/a.png", cli::png(picture));
  add("in/bad.png", "no picture");
  full_stream = 2;
  failed({"flop", "in", "-o", "out", "-v"});
  CHECK(files("out") == Names{"a.png"});
  refused({"flop", "nowhere", "-o", "out"});
}

TEST_CASE_METHOD(
    Workplace,
    "A limit on the size of files fails those that are larger, and leaves nothing of them") {
  add("in/large.png", cli::png(random_picture(200, 200)));
  add("in/small.png", cli::png(random_picture(20, 20)));
  largest_file = 20'000;
  failed({"flop", "in", "-o", "out"}, "large.png: cannot write");
  CHECK(files("out") == Names{"small.png"});
}

}  // namespace damage_test
