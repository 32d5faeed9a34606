// Files that ask for more than --limit permits, through the program: each is refused by name, with
// what to type, before it has taken much memory or time.
#include <limits>

#include "src/picture/file_limits.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"

namespace limits_test {

using namespace cli;
using qturn::tests::in_little_endian;

namespace {

using namespace std::string_literals;

std::string tiff_entry(int tag, int type, std::uint32_t count, std::uint32_t value) {
  return in_little_endian(static_cast<std::uint64_t>(tag), 2) +
         in_little_endian(static_cast<std::uint64_t>(type), 2) + in_little_endian(count, 4) +
         in_little_endian(value, 4);
}

std::string directory(const std::vector<std::string>& entries, std::uint32_t next = 0) {
  std::string text = in_little_endian(entries.size(), 2);
  for (const std::string& entry : entries) text += entry;
  return text + in_little_endian(next, 4);
}

constexpr std::uint32_t header_bytes = 8;

/// The entries of a grey picture of 4 x 1 pixels, whose pixels are the file's first bytes.
std::vector<std::string> tiny_page() {
  return {tiff_entry(256, 3, 1, 4), tiff_entry(257, 3, 1, 1), tiff_entry(258, 3, 1, 8),
          tiff_entry(259, 3, 1, 1), tiff_entry(262, 3, 1, 1), tiff_entry(273, 4, 1, 0),
          tiff_entry(277, 3, 1, 1), tiff_entry(278, 3, 1, 1), tiff_entry(279, 4, 1, 4)};
}

std::uint32_t directory_bytes(std::size_t entries) {
  return static_cast<std::uint32_t>(2 + 12 * entries + 4);
}

/// A TIFF of so many pages.
std::string tiff_of_pages(std::uint32_t count) {
  std::string file = "II*\0"s + in_little_endian(header_bytes, 4);
  const std::uint32_t step = directory_bytes(tiny_page().size());
  for (std::uint32_t i = 0; i < count; ++i) {
    file += directory(tiny_page(), i + 1 < count ? header_bytes + (i + 1) * step : 0);
  }
  return file;
}

/// A TIFF whose page lists one sub-directory `count` times. That has `empty` fields without a
/// value.
std::string tiff_of_shared_directory(std::uint32_t count, std::size_t empty) {
  const std::size_t entries = tiny_page().size();
  const std::uint32_t list_at = header_bytes + directory_bytes(entries + 1);
  std::vector<std::string> page = tiny_page();
  page.push_back(tiff_entry(330, 4, count, list_at));
  std::string file = "II*\0"s + in_little_endian(header_bytes, 4) + directory(page);
  for (std::uint32_t i = 0; i < count; ++i) file += in_little_endian(list_at + 4 * count, 4);
  std::vector<std::string> shared = tiny_page();
  shared.insert(shared.end(), empty, tiff_entry(40000, 2, 0, 0));
  return file + directory(shared);
}

std::string jpeg_with_comments(std::size_t count) {
  const std::string jpeg = cli::jpeg(smooth_picture(16, 16));
  std::string file = jpeg.substr(0, 2);
  file.reserve(jpeg.size() + 5 * count);
  for (std::size_t i = 0; i < count; ++i) file += "\xff\xfe\0\x03x"s;
  return file + jpeg.substr(2);
}

Words turning(const std::string& name, const Words& more = {}) {
  return with({"cw", name, "-o", "out-" + name, "--overwrite"}, more);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long most_resident_kib = std::numeric_limits<long>::max();  // they keep what was freed
#else
constexpr long most_resident_kib = 250 << 10;
#endif

}  // namespace

TEST_CASE_METHOD(
    Workplace,
    "A JPEG of millions of comments is refused with their number, soon and in little memory") {
  add("a.jpg", jpeg_with_comments(10'000'000));
  const Result result = failed(
      turning("a.jpg"),
      {"a.jpg: 1000000",
       " pieces of metadata, more than the limit of 250000; --limit metadata-count=1000000"});
  CHECK(result.max_resident_kib < most_resident_kib);
  CHECK(result.cpu_seconds < 20);
  CHECK(files("").size() == 1);
}

TEST_CASE_METHOD(
    Workplace, "As many comments as are permitted are kept, in time that grows with their number") {
  add("a.jpg", jpeg_with_comments(200'000));
  const Result turned = done(turning("a.jpg"));
  CHECK(turned.cpu_seconds < 20);
  CHECK(content("out-a.jpg").size() > 5 * 200'000);
}

TEST_CASE_METHOD(
    Workplace,
    "What a file asks for is refused by name, and the option that the message names permits it") {
  const std::string png = cli::png(random_picture(20, 10));
  add("a.png", png);
  add("text.png",
      cli::png(random_picture(20, 10), png_chunk("tEXt", "a" + std::string(1, '\0') + "bcd") +
                                           png_chunk("tEXt", "e" + std::string(1, '\0') + "f")));
  add("a.jpg", jpeg_with_comments(30));
  add("a.tif", tiff_of_pages(5));
  struct Case {
    const char* name;
    const char* limit;
    const char* says;
    const char* permits;
  };
  for (const Case& each :
       {Case{"a.png", "pixels=199", "200 pixels, more than the limit of 199", "pixels=200"},
        Case{"text.png", "metadata-bytes=16", "bytes of metadata, more than the limit of 16",
             "metadata-bytes=21"},
        Case{"text.png", "metadata-count=2", "3 pieces of metadata, more than the limit of 2",
             "metadata-count=3"},
        Case{"a.jpg", "metadata-count=9", "pieces of metadata, more than the limit of 9",
             "metadata-count="},
        Case{"a.jpg", "scans=none", "", ""},
        Case{"a.tif", "directories=4", "5 directories, more than the limit of 4",
             "directories=5"}}) {
    CAPTURE(each.name, each.limit);
    const Result result = qturn(turning(each.name, {"--limit", each.limit}));
    if (!*each.says) {
      CHECK(result.exit_code == 0);
      continue;
    }
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, ContainsSubstring(each.says));
    CHECK_THAT(result.err, ContainsSubstring("; --limit "s + each.permits));
    const std::size_t option = result.err.find("; --limit ") + 10;
    const std::string permits = result.err.substr(option, result.err.find(' ', option) - option);
    done(turning(each.name, {"--limit", permits}));
    done(turning(each.name));
  }
}

TEST_CASE_METHOD(Workplace,
                 "A TIFF that lists one directory many times is damaged, whatever the limits") {
  add("a.tif", tiff_of_shared_directory(50'000, 16'000));
  const Result result =
      failed(turning("a.tif", {"--limit", "directories=none"}), "fields larger than the file");
  CHECK(result.max_resident_kib < most_resident_kib);
  CHECK(result.cpu_seconds < 20);
}

TEST_CASE_METHOD(Workplace,
                 "A large picture in few bytes is refused by its ratio, before it is decoded") {
  // A tiny grey JPEG whose frame header says 16000 x 17000, with so many bytes after it that they
  // could hold the blocks.
  const qturn::Bytes tiny =
      qturn::tests::make_jpeg({.width = 8, .height = 8, .space = JCS_GRAYSCALE});
  std::string file(reinterpret_cast<const char*>(tiny.data()), tiny.size());
  const std::size_t frame = file.find("\xff\xc0");
  REQUIRE(frame != std::string::npos);
  file.replace(frame + 5, 4, "\x42\x68\x3e\x80");
  add("a.jpg", file + std::string(600'000, '\0'));
  failed(turning("a.jpg", {"--limit", "ratio=400"}),
         "bytes of pixels for each byte of the file, more than "
         "the limit of 400; --limit ratio=45");
  CHECK_THAT(qturn(turning("a.jpg")).err, ContainsSubstring("damaged after 0 of 17000 rows"));
}

TEST_CASE_METHOD(Workplace, "A blank picture of usual size may be as small as it likes") {
  const Picture white{4000, 4000, 3, qturn::SampleFormat::u8,
                      std::vector<unsigned char>(48'000'000, 255)};
  for (const char* format : {"png", "webp", "tif"}) {
    CAPTURE(format);
    const qturn::Codec* codec = qturn::codec_of_suffix("."s + format);
    add("a."s + format, encoded(white, *codec));
    done(turning("a."s + format));
  }
}

TEST_CASE_METHOD(
    Workplace, "A limit that does not exist, or has no number, is refused before anything starts") {
  add("a.png", cli::png(random_picture(2, 2)));
  for (const auto& [option, says] :
       {std::pair{"pages=3", "'pages' is not one of pixels, ratio, metadata-bytes"},
        std::pair{"pixels", "number above zero, or none"},
        std::pair{"pixels=", "number above zero, or none"},
        std::pair{"pixels=-1", "number above zero, or none"},
        std::pair{"pixels=0", "number above zero, or none"},
        std::pair{"scans=5x", "number above zero, or none"}}) {
    CAPTURE(option);
    refused(turning("a.png", {"--limit", option}), says);
  }
  done(turning("a.png", {"--limit", "seconds=9", "--limit", "ratio=none"}));
}

}  // namespace limits_test
