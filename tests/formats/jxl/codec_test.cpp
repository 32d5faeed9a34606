#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/check/check.hpp"
#include "src/formats/container/boxes.hpp"
#include "src/formats/jxl/codestream.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/file_limits.hpp"
#include "tests/fixtures/every_codec.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/other_programs.hpp"
#include "tests/fixtures/sources.hpp"

namespace jxl_codec_test {

namespace {

using namespace qturn;
using namespace qturn::jxl;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

// What another program makes of a small picture.
Bytes made(const std::string& command) {
  return made_by("convert pam:in in.png && " + command + " >said 2>&1 && mv out.jxl out",
                 write_pam(noise_pam(40, 24, 3)));
}

Bytes tagged_jpeg() {
  return made_by(
      "convert pam:in -quality 90 in.jpg && exiftool -q -overwrite_original -n "
      "-Orientation=6 in.jpg && mv in.jpg out",
      write_pam(noise_pam(40, 24, 3)));
}

// With what is needed to make the JPEG again, and with compressed Exif.
Bytes made_of_jpeg(const Bytes& jpeg) {
  return made_by("mv in in.jpg && cjxl in.jpg out.jxl >said 2>&1 && mv out.jxl out", jpeg);
}

// With a profile that is described by no name, because its tone curve is bent.
Bytes made_with_profile() {
  const std::string photo = qturn::tests::sources() / "testdata/samples/camera roll/cat.jpg";
  Bytes profile = made_by("exiftool -b -icc_profile '" + photo + "' >out", {});
  const std::size_t curve = text_of(profile).find("para");
  REQUIRE(curve != std::string_view::npos);
  profile[curve + 13] = std::byte{1};
  return made_by(
      "convert -size 40x24 -seed 1 plasma:red-blue -depth 8 -profile icc:in in.png && "
      "cjxl in.png out.jxl -d 0 >said 2>&1 && mv out.jxl out",
      profile);
}

struct TurnedFile {
  Bytes file;
  std::vector<std::string> warnings;
};

TurnedFile turned(const Bytes& file, Orientation orientation) {
  const auto compressed = jxl::codec.turn_compressed(file, {}, Limits{});
  const std::atomic<bool> stop = false;
  TurnedFile result;
  result.file = compressed->turn(orientation, {}, stop, result.warnings);
  return result;
}

Pam by_djxl(std::span<const std::byte> file) {
  return read_pam(
      made_by("mv in in.jxl && djxl in.jxl out.png >said 2>&1 && "
              "convert out.png -type TrueColorMatte -depth 8 pam:out",
              file));
}

// The JPEG that it was made of.
Bytes jpeg_again(const Bytes& jxl) {
  return made_by("mv in in.jxl && djxl in.jxl out.jpg >said 2>&1 && mv out.jpg out", jxl);
}

std::string exif_box(std::span<const std::byte> block) {
  return iso_box("Exif", std::string(4, '\0') + std::string(text_of(block)));
}

// The boxes that are compressed, or the others.
std::string boxes_of(const Bytes& jxl, bool compressed) {
  std::string boxes;
  for_each_box(jxl, 0, jxl.size(), [&](const Box& each) {
    if ((each.type == "brob") == compressed)
      boxes += text_of(jxl).substr(each.begin, each.end - each.begin);
  });
  return boxes;
}

// The same with the Exif of the JPEG as it is.
Bytes with_plain_exif(const Bytes& jxl, const Bytes& plain) {
  std::string file = boxes_of(jxl, false);
  for (const JpegSegment& segment : jpeg::JpegFile(plain).segments) {
    if (jpeg::is_exif(segment)) file += exif_box(exif_body(segment.payload));
  }
  return owned(file);
}

}  // namespace

TEST_CASE("djxl shows each picture as it was turned, whatever form its header has") {
  using enum JxlHeader::Form;
  const std::vector<std::pair<Bytes, JxlHeader::Form>> files = {
      {made("convert in.png -depth 8 in.ppm && "
            "cjxl in.ppm out.jxl -d 1 -x color_space=RGB_D65_SRG_Rel_SRG"),
       all_default},
      {made("cjxl in.png out.jxl -d 0"), without_orientation},
      {made("convert in.png -alpha set -channel A -evaluate set 50% a.png && "
            "cjxl a.png out.jxl -d 0"),
       without_orientation},
      {made("convert in.png -colorspace gray g.png && cjxl g.png out.jxl -d 1"),
       without_orientation},
      {made_with_profile(), without_orientation},
  };
  for (const auto& [file, form] : files) {
    const JxlHeader header = read_jxl_header(file);
    CHECK(header.form == form);
    CHECK(header.size == Size{40, 24});
    const Pam before = by_djxl(file);
    for (const Orientation orientation : all_orientations) {
      CAPTURE(static_cast<int>(form), name(orientation));
      const Bytes result = turned(file, orientation).file;
      CHECK(by_djxl(result) == tests::turned(before, orientation));
      CHECK(jxl::codec.read_header(result).size() == turned_size(orientation, {40, 24}));
      const std::size_t grown = form == all_default ? 3 : 7;
      CHECK(result.size() == file.size() + (orientation == Orientation::identity ? 0 : grown));
    }
  }
}

TEST_CASE("Every turn of every orientation composes, bare and in a container") {
  for (const char* options : {"-d 1", "-d 1 --container=1"}) {
    const Bytes file = made("cjxl in.png out.jxl " + std::string(options));
    const Pam before = by_djxl(file);
    for (const Orientation first : all_orientations) {
      const Bytes once = turned(file, first).file;
      for (const Orientation then : all_orientations) {
        CAPTURE(options, name(first), name(then));
        const Bytes twice = turned(once, then).file;
        // The bits are there now, or not needed.
        if (first != Orientation::identity) CHECK(twice.size() == once.size());
        const std::size_t at = text_of(twice).find(jxl_signature);
        CHECK(read_jxl_header(std::span(twice).subspan(at)).orientation == compose(first, then));
      }
      CHECK(by_djxl(once) == tests::turned(before, first));
    }
  }
}

TEST_CASE("The JPEG that can be made of it again shows the same turn, by its Exif") {
  const Bytes source = tagged_jpeg();
  const Bytes file = with_plain_exif(made_of_jpeg(source), source);
  const Pam before = by_djxl(file);
  CHECK_FALSE(jxl::codec.read_header(file).has_ignored_tag);
  for (const Orientation orientation : all_orientations) {
    CAPTURE(name(orientation));
    const TurnedFile result = turned(file, orientation);
    CHECK(result.warnings.empty());
    CHECK(result.file.size() == file.size());
    CHECK_FALSE(jxl::codec.read_header(result.file).has_ignored_tag);
    CHECK(by_djxl(result.file) == tests::turned(before, orientation));
    const Bytes jpeg = jpeg_again(result.file);
    CHECK(jpeg::codec.read_header(jpeg).stored == compose(Orientation::rotate90, orientation));
  }
}

TEST_CASE("Exif and XMP that are compressed are turned too, and written plain where they change") {
  const Bytes source = made_by(
      "mv in in.jpg && exiftool -q -overwrite_original -n -XMP-tiff:Orientation=6 in.jpg && "
      "mv in.jpg out",
      tagged_jpeg());
  const Bytes file = made_of_jpeg(source);
  REQUIRE(contains(file, "brobExif"));
  REQUIRE(contains(file, "brobxml "));
  CHECK_FALSE(jxl::codec.read_header(file).has_ignored_tag);
  CHECK(turned(file, Orientation::identity).file == file);
  const Pam before = by_djxl(file);
  for (const Orientation orientation : all_orientations) {
    CAPTURE(name(orientation));
    const TurnedFile result = turned(file, orientation);
    CHECK(result.warnings.empty());
    CHECK(contains(result.file, "brob") == (orientation == Orientation::identity));
    CHECK_FALSE(jxl::codec.read_header(result.file).has_ignored_tag);
    CHECK(check_metadata(result.file, jxl::codec, Limits{}).findings().empty());
    CHECK(by_djxl(result.file) == tests::turned(before, orientation));
    const Bytes jpeg = jpeg_again(result.file);
    CHECK(jpeg::codec.read_header(jpeg).stored == compose(Orientation::rotate90, orientation));
    CHECK(check_metadata(jpeg, jpeg::codec, Limits{}).findings().empty());
  }
}

TEST_CASE("Compressed Exif that is ignored says 1 after a turn, also by upright") {
  const std::string compressed = boxes_of(made_of_jpeg(tagged_jpeg()), true);
  const Bytes container = made("cjxl in.png out.jxl -d 1 --container=1");
  const Bytes file = followed_by(container, compressed);
  CHECK(jxl::codec.read_header(file).has_ignored_tag);
  CHECK(check_metadata(file, jxl::codec, Limits{}).findings() ==
        std::vector<std::string>{"Exif says orientation 6, the picture is shown by 1"});
  for (const Orientation orientation : {Orientation::identity, Orientation::rotate270}) {
    const TurnedFile result = turned(file, orientation);
    CHECK(result.warnings.empty());
    CHECK_FALSE(jxl::codec.read_header(result.file).has_ignored_tag);
    CHECK(by_djxl(result.file) == tests::turned(by_djxl(container), orientation));
  }
}

TEST_CASE("Compressed Exif that is damaged stays with a warning; one that is large is refused") {
  const Bytes container = made("cjxl in.png out.jxl -d 1 --container=1");
  const Bytes file = followed_by(container, iso_box("brob", "Exifx"));
  CHECK(turned(file, Orientation::flop).warnings ==
        std::vector<std::string>{"its compressed Exif or XMP is damaged and stays as it was"});
  CHECK(check_metadata(file, jxl::codec, Limits{}).findings() ==
        std::vector<std::string>{"its compressed Exif or XMP is damaged"});
  const Bytes large = made_of_jpeg(made_by(
      "mv in in.jpg && exiftool -q -overwrite_original -UserComment=\"$(printf '%060000d' 1)\" "
      "in.jpg && mv in.jpg out",
      tagged_jpeg()));
  REQUIRE(large.size() < 10'000);
  CHECK_NOTHROW(jxl::codec.check_limits(large, Limits{.metadata_bytes = 70'000}));
  CHECK_THROWS_AS(jxl::codec.check_limits(large, Limits{.metadata_bytes = 50'000}), LimitError);
}

TEST_CASE("Exif beside other pictures says 1 after a turn, and a check finds what contradicts") {
  const Bytes container = made("cjxl in.png out.jxl -d 1 --container=1");
  const auto with_exif = [&](Orientation says) {
    return followed_by(container, exif_box(exif_with(says)));
  };
  const Bytes file = with_exif(Orientation::rotate90);
  CHECK(jxl::codec.read_header(file).has_ignored_tag);
  CHECK(turned(file, Orientation::identity).file == with_exif(Orientation::identity));
  CHECK_FALSE(jxl::codec.read_header(turned(file, Orientation::flip).file).has_ignored_tag);
  CHECK(check_metadata(file, jxl::codec, Limits{}).findings() ==
        std::vector<std::string>{"Exif says orientation 6, the picture is shown by 1"});
  CHECK(check_metadata(with_exif(Orientation::identity), jxl::codec, Limits{}).findings().empty());
}

TEST_CASE("A cut container, a cut header, and a header that cannot grow are refused") {
  const Bytes file = made("cjxl in.png out.jxl -d 1 --container=1");
  for (std::size_t bytes = 12; bytes < file.size(); bytes += bytes < 100 ? 1 : 37) {
    CAPTURE(bytes);
    CHECK_THROWS_AS(jxl::codec.read_header(std::span(file).first(bytes)), ImageFileError);
  }
  const Bytes bare = made("cjxl in.png out.jxl -d 1");
  for (std::size_t bytes = 2; bytes < 6; ++bytes) {
    CHECK_THROWS_AS(jxl::codec.read_header(std::span(bare).first(bytes)), ImageFileError);
  }
  std::string other(text_of(file));
  other.replace(other.find("ftypjxl "), 8, "ftypheic");
  CHECK_THROWS_WITH(jxl::codec.read_header(bytes_of(other)), ContainsSubstring("is not one"));
  const Bytes indexed = followed_by(file, iso_box("jxli", "x"));
  CHECK_THROWS_WITH(turned(indexed, Orientation::flip), ContainsSubstring("frame index"));
}

TEST_CASE("A signed manifest that is compressed is known") {
  const Bytes file = made("cjxl in.png out.jxl -d 1 --container=1");
  const Bytes with = followed_by(file, iso_box("brob", "jumbx"));
  CHECK(jxl::codec.read_header(file).placed.empty());
  REQUIRE(jxl::codec.read_header(with).placed.size() == 1);
  CHECK(jxl::codec.read_header(with).placed[0].is_of_bytes);
}

TEST_CASE("A container with too much metadata is refused by the limit's name") {
  std::string file(text_of(made("cjxl in.png out.jxl -d 1 --container=1")));
  for (int i = 0; i < 20; ++i) file += iso_box("free", "x");
  CHECK_THROWS_AS(jxl::codec.check_limits(bytes_of(file), Limits{.metadata_count = 20}),
                  LimitError);
  CHECK_NOTHROW(jxl::codec.check_limits(bytes_of(file), Limits{.metadata_count = 22}));
}

TEST_CASE("Boxes that nobody knows are named where pixels move, also compressed ones") {
  using Names = std::vector<std::string>;
  const Bytes container = made_of_jpeg(tagged_jpeg());
  const auto header_with = [&](const std::string& boxes) {
    return jxl::codec.read_header(followed_by(container, boxes));
  };
  CHECK(jxl::codec.read_header(container).unknown == Names());
  CHECK(header_with(iso_box("abcd", "") + iso_box("free", "ab")).unknown == Names());
  CHECK(header_with(iso_box("abcd", "ab")).unknown == Names{"JPEG XL abcd"});
  CHECK(header_with(iso_box("brob", "abcdef")).unknown == Names{"JPEG XL abcd"});
  const Header gain_map = header_with(iso_box("jhgm", "ab"));
  REQUIRE(gain_map.placed.size() == 1);
  CHECK(gain_map.placed[0].name == "its gain map (jhgm)");
}

}  // namespace jxl_codec_test
