#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "src/check/check.hpp"
#include "src/picture/file_limits.hpp"
#include "src/turn/picture_turn.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace raw_codec_test {

namespace {

using namespace qturn;
using namespace qturn::raw;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

struct Field {
  int tag, type;
  std::uint64_t count, value;
};
constexpr int u8 = 1, u16 = 3, u32 = 4;

std::string directory(const std::vector<Field>& fields, std::uint64_t next) {
  std::string text = in_little_endian(fields.size(), 2);
  for (const Field& field : fields) {
    text += in_little_endian(static_cast<std::uint64_t>(field.tag), 2) +
            in_little_endian(static_cast<std::uint64_t>(field.type), 2) +
            in_little_endian(field.count, 4) + in_little_endian(field.value, 4);
  }
  return text + in_little_endian(next, 4);
}

const std::string xmp = xmp_packet_with("tiff:Orientation='6'", "", 0);

// As a DNG or a NEF: a small preview first, the sensor's picture below it, a thumbnail after it.
std::string raw_file(const std::string& mark, int below, int after, bool has_tag = true) {
  std::vector<Field> first = {{256, u32, 1, 160},
                              {257, u32, 1, 120},
                              {274, u16, 1, 6},
                              {330, u32, 1, 200},
                              {700, u8, xmp.size(), 400}};
  if (!has_tag) first.erase(first.begin() + 2);
  std::string file = mark + in_little_endian(8, 4) + directory(first, 300);
  file.resize(200);
  file += directory({{256, u32, 1, 4000},
                     {257, u32, 1, 3000},
                     {262, u16, 1, 32803},
                     {274, u16, 1, static_cast<std::uint64_t>(below)}},
                    0);
  file.resize(300);
  file += directory({{274, u16, 1, static_cast<std::uint64_t>(after)}}, 0);
  file.resize(400);
  return file + xmp + "sensor data";
}

const std::string tiff_mark("II*\0", 4);

struct Retagged {
  std::string file;
  std::vector<std::string> warnings;
};

Retagged retagged(const std::string& file, Orientation tag) {
  Retagged result;
  const Bytes bytes =
      raw::codec.retag(bytes_of(file), tag, MissingTag::is_added, {}, result.warnings);
  result.file = text_of(bytes);
  return result;
}

int differences(const std::string& a, const std::string& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("Only the bytes of the orientation change, of all directories that say the same") {
  for (const std::string& mark : {tiff_mark, std::string("IIRO"), std::string("IIU\0", 4)}) {
    const std::string file = raw_file(mark, 6, 6);
    const Header header = raw::codec.read_header(bytes_of(file));
    CHECK(header.stored == Orientation::rotate90);
    CHECK(header.size() == Size{4000, 3000});
    for (const Orientation tag : all_orientations) {
      const Retagged result = retagged(file, tag);
      CHECK(result.warnings.empty());
      CHECK(result.file.size() == file.size());
      CHECK(differences(result.file, file) == (tag == Orientation::rotate90 ? 0 : 4));
      CHECK(raw::codec.read_header(bytes_of(result.file)).stored == tag);
      CHECK(check_metadata(bytes_of(result.file), raw::codec, Limits{}).findings().empty());
      CHECK(retagged(result.file, Orientation::rotate90).file == file);
    }
  }
}

TEST_CASE("ExifTool reads the new orientation in each directory") {
  const std::string file = retagged(raw_file(tiff_mark, 6, 6), Orientation::flip).file;
  const Bytes said =
      made_by("mv in in.dng && exiftool -n -G1 -a -s3 -Orientation in.dng >out", bytes_of(file));
  CHECK(text_of(said) == "IFD0 4\nSubIFD 4\nXMP-tiff 4\nIFD1 4\n");
}

TEST_CASE("A preview with an orientation of its own keeps it, with a warning; a check finds it") {
  const std::string file = raw_file(tiff_mark, 1, 6);
  const Retagged result = retagged(file, Orientation::flip);
  CHECK(result.warnings ==
        std::vector<std::string>{"a preview in it keeps an orientation of its own"});
  CHECK(differences(result.file, file) == 3);
  CHECK(check_metadata(bytes_of(file), raw::codec, Limits{}).findings() ==
        std::vector<std::string>{
            "a directory says orientation 1, the picture's is 6; correct the wrong "
            "one, for example with ExifTool"});
}

TEST_CASE("A tag that a directory has twice is set twice") {
  const std::string head = tiff_mark + in_little_endian(8, 4);
  const auto file = [&](int value) {
    const auto field = static_cast<std::uint64_t>(value);
    return head + directory({{274, u16, 1, field}, {274, u16, 1, field}}, 0);
  };
  CHECK(retagged(file(6), Orientation::flip).file == file(4));
}

TEST_CASE("A raw file without the tag is refused, and so is a turn of its pixels") {
  const std::string without = raw_file(tiff_mark, 6, 6, false);
  CHECK_THROWS_WITH(retagged(without, Orientation::flip),
                    "it has no orientation tag, and none is added to a raw file");
  const std::string file = raw_file(tiff_mark, 6, 6);
  CHECK_THROWS_WITH(PictureTurn(bytes_of(file), ".nef", {}),
                    "a camera raw file, whose pixels are not turned");
  CHECK_NOTHROW(PictureTurn(bytes_of(file), ".nef", {.jpeg = {}, .tag_only = true, .raw = true}));
  CHECK_THROWS_WITH(PictureTurn(bytes_of(file), ".nef", {.jpeg = {}, .tag_only = true}),
                    ContainsSubstring("a camera raw file"));
}

TEST_CASE("Directories that share their entries, or are too many, are refused") {
  // Each of 64 directories begins within the one before, so all entries are kept many times.
  std::string places, shared;
  for (int i = 0; i < 64; ++i) places += in_little_endian(600 + 12 * i, 4);
  std::string file =
      tiff_mark + in_little_endian(8, 4) + directory({{274, u16, 1, 6}, {330, u32, 64, 200}}, 0);
  file.resize(200);
  file += places;
  file.resize(600);
  for (int i = 0; i < 64; ++i) file += in_little_endian(60, 2) + std::string(10, '\0');
  file.resize(600 + 12 * 124 + 6);
  CHECK_THROWS_WITH(raw::codec.read_header(bytes_of(file)),
                    "damaged: its directories share their bytes");
  CHECK_THROWS_WITH(raw::codec.check_limits(bytes_of(file), Limits{.directories = 64}),
                    "65 directories, more than the limit of 64");
}

TEST_CASE("The XMP of a raw file counts as metadata") {
  const std::string file = raw_file(tiff_mark, 6, 6);
  CHECK_THROWS_AS(raw::codec.check_limits(bytes_of(file), Limits{.metadata_bytes = xmp.size() - 1}),
                  LimitError);
  CHECK_NOTHROW(raw::codec.check_limits(bytes_of(file), Limits{.metadata_bytes = xmp.size()}));
}

TEST_CASE("Every cut of the directories is damage") {
  const std::string file = raw_file(tiff_mark, 6, 6);
  for (std::size_t bytes = 8; bytes < 314; ++bytes) {
    CAPTURE(bytes);
    CHECK_THROWS_AS(raw::codec.read_header(bytes_of(std::string_view(file).substr(0, bytes))),
                    ImageFileError);
  }
}

}  // namespace raw_codec_test
