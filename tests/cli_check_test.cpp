// qturn check: which carriers disagree.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/carrier_fixtures.hpp"
#include "tests/cli_pictures.hpp"
#include "tests/cli_program.hpp"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using cli::Result;
using cli::Workplace;
using qturn::tests::ByteOrder;
using qturn::tests::exif_fixture;
using qturn::tests::ExifDirectory;
using qturn::tests::ExifSays;
using qturn::tests::jpeg_segment;
using qturn::tests::jpeg_with_followers;
using qturn::tests::xmp_packet_with;
using std::string_literals::operator""s;

namespace {

std::string exif(const ExifSays& says) {
  return jpeg_segment(0xE1, "Exif\0\0"s + exif_fixture(says));
}

std::string xmp(const std::string& attributes) {
  return jpeg_segment(0xE1, "http://ns.adobe.com/xap/1.0/\0"s + xmp_packet_with(attributes));
}

std::string jpeg_with(const std::string& segments, int width = 64, int height = 48) {
  return cli::jpeg(cli::smooth_picture(width, height)).insert(2, segments);
}

}  // namespace

TEST_CASE("Carriers that agree are no finding, with and without a tag") {
  Workplace workplace;
  workplace.add("in/tagged.jpg", jpeg_with(exif({}) + xmp("tiff:Orientation='6'")));
  workplace.add("in/plain.jpg", jpeg_with(""));
  workplace.add("in/plain.png", cli::png(cli::smooth_picture(5, 3)));
  workplace.add("in/notes.txt", "no picture");
  const Result result = workplace.qturn({"check", "in"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(result.err == "qturn: 3 pictures checked, 0 of them with carriers that disagree\n");
}

TEST_CASE("What disagrees is said by file, and exits with 1") {
  Workplace workplace;
  const auto findings = [&](const std::string& name, const std::string& file) {
    workplace.add(name, file);
    const Result result = workplace.qturn({"check", name, "-q"});
    CHECK(result.exit_code == 1);
    CHECK(result.err.empty());
    return result.out;
  };
  CHECK(findings("xmp.jpg", jpeg_with(exif({.orientation = 1}) + xmp("tiff:Orientation='6'"))) ==
        "xmp.jpg: XMP says orientation 6, the picture's is 1\n");
  // Turned by a program that forgot the tag and the sizes.
  CHECK(findings("turned.jpg", jpeg_with(exif({}), 48, 64)) ==
        "turned.jpg: Exif says 64 x 48, the pixels are 48 x 64: they may have been turned, and "
        "orientation 6 be left over\n");
  CHECK(findings("cut.jpg", jpeg_with(exif({.orientation = 1}), 32, 32)) ==
        "cut.jpg: Exif says 64 x 48, the pixels are 32 x 32\n");
  CHECK(findings("thumbnail.jpg",
                 jpeg_with(exif({.thumbnail = cli::jpeg(cli::smooth_picture(24, 32))}))) ==
        "thumbnail.jpg: the thumbnail is 24 x 32, of another shape than the pixels, 64 x 48: it "
        "may be upright already\n");
  CHECK(findings("two.jpg", jpeg_with(exif({.thumbnail = cli::jpeg(cli::smooth_picture(32, 24)),
                                            .thumbnail_orientation = 3}))) ==
        "two.jpg: the thumbnail says orientation 3, the picture's is 6\n");
  CHECK(findings("header.jpg",
                 jpeg_with(jpeg_segment(0xE1, "Exif\0\0XX"s + exif_fixture({}).substr(2)))) ==
        "header.jpg: the Exif block is damaged\n");
  CHECK(findings("filler.jpg",
                 jpeg_with(jpeg_segment(0xE1, "Exif\0\xFF"s + exif_fixture({})), 32, 32)) ==
        "filler.jpg: Exif says 64 x 48, the pixels are 32 x 32\n");
  CHECK_THAT(findings("damaged.jpg", jpeg_with(exif({.thumbnail = "no JPEG"}))),
             EndsWith("the Exif block is damaged\n"));
  CHECK_THAT(findings("text.jpg", jpeg_with(xmp("tiff:Orientation='<'"))),
             ContainsSubstring("orientation '<', which is none"));
  CHECK(findings("eight.png",
                 cli::png(cli::smooth_picture(5, 3), cli::png_chunk("eXIf", exif_fixture({})))) ==
        "eight.png: Exif says 64 x 48, the pixels are 5 x 3\n");
}

TEST_CASE("Extended XMP, pictures that follow and later pages of a TIFF are looked at") {
  Workplace workplace;
  const auto findings = [&](const std::string& name, const std::string& file) {
    workplace.add(name, file);
    const Result result = workplace.qturn({"check", name, "-q"});
    CHECK(result.exit_code == (result.out.empty() ? 0 : 1));
    return result.out;
  };
  const auto extended = [](const std::string& packet, std::size_t at) {
    return jpeg_segment(0xE1, "http://ns.adobe.com/xmp/extension/\0"s + std::string(32, 'A') +
                                  cli::big_endian(1000) + cli::big_endian(unsigned(at)) + packet);
  };
  const std::string says = xmp_packet_with("tiff:ImageWidth='48' tiff:ImageLength='64'");
  CHECK(findings("extended.jpg",
                 jpeg_with(extended(says.substr(0, 300), 0) + extended(says.substr(300), 300))) ==
        "extended.jpg: extended XMP says 48 x 64, the pixels are 64 x 48\n");
  CHECK(findings("parts.jpg", jpeg_with(extended(says, 1))) ==
        "parts.jpg: the extended XMP is damaged\n");

  const auto followed = [](const std::string& follower) {
    return jpeg_with_followers(cli::jpeg(cli::smooth_picture(64, 48)), exif({}), {follower},
                               {0x010001});
  };
  CHECK(findings("same.jpg", followed(jpeg_with(exif({})))).empty());
  CHECK(findings("untagged.jpg", followed(jpeg_with("", 32, 24))).empty());
  CHECK(findings("tag.jpg", followed(jpeg_with(exif({.orientation = 1})))) ==
        "tag.jpg: picture 2 of the file says orientation 1, the picture's is 6\n");
  CHECK(findings("size.jpg", followed(jpeg_with(exif({}), 32, 24))) ==
        "size.jpg: picture 2 of the file: Exif says 64 x 48, the pixels are 32 x 24\n");
  CHECK(
      findings("shape.jpg", followed(jpeg_with("", 24, 32))) ==
      "shape.jpg: picture 2 of the file is 24 x 32, of another shape than the pixels, 64 x 48: it "
      "may be upright already\n");
  CHECK(findings("none.jpg", followed("no picture")) ==
        "none.jpg: picture 2 of the file cannot be read: is no JPEG\n");
  const std::string whole = followed(jpeg_with(exif({})));
  CHECK(findings("cut.jpg", whole.substr(0, whole.size() - 1)) ==
        "cut.jpg: the index of the pictures behind the first (MPF) is damaged\n");

  const auto pages = [](const std::string& xmp) {
    const ByteOrder order{true};
    const auto page = [&](int width, int height, bool is_second) {
      ExifDirectory made;
      made.add_short(256, unsigned(width), order);
      made.add_short(257, unsigned(height), order);
      made.add_short(258, 8, order);
      made.add_short(259, 1, order);
      made.add_short(262, 1, order);
      made.add_long(273, 8, order);
      made.add_short(274, 6, order);
      made.add_short(277, 1, order);
      made.add_short(278, unsigned(height), order);
      made.add_long(279, std::uint64_t(width * height), order);
      if (is_second) made.entries.push_back({700, 1, xmp.size(), xmp});
      if (is_second) made.add_long(0x8769, 0, order);
      return made;
    };
    const ExifDirectory first = page(6, 4, false);
    ExifDirectory second = page(5, 3, true), sizes;
    sizes.add_short(0xA002, 3, order);
    sizes.add_short(0xA003, 5, order);
    const std::size_t first_at = 8 + 24, second_at = first_at + first.bytes(),
                      exif_at = second_at + second.bytes();
    second.entries.back().value = order.u32(exif_at);
    return "II" + order.u16(42) + order.u32(first_at) + std::string(24, 'x') +
           first.at(first_at, second_at, order) + second.at(second_at, 0, order) +
           sizes.at(exif_at, 0, order);
  };
  const std::string turned = ": they may have been turned, and orientation 6 be left over\n";
  CHECK(findings("two.tif", pages(xmp_packet_with("tiff:Orientation='1'"))) ==
        "two.tif: Exif of page 2 says 3 x 5, the pixels are 5 x 3" + turned +
            "two.tif: XMP of page 2 says orientation 1, the picture's is 6\n");
}

TEST_CASE("A file that is no picture inside fails, the others are checked, nothing is written") {
  Workplace workplace;
  workplace.add("in/a.jpg", "no JPEG");
  workplace.add("in/b.jpg", jpeg_with(exif({}) + xmp("tiff:Orientation='3'")));
  std::string block = exif_fixture({});
  std::swap(block[2], block[3]);
  workplace.add("in/c.jpg", jpeg_with(jpeg_segment(0xE1, "Exif\0\0"s + block)));
  const auto before = workplace.tree("in");
  const Result result = workplace.qturn({"check", "in", "--json"});
  CHECK(result.exit_code == 1);
  REQUIRE(result.out_lines().size() == 3);
  CHECK(result.out_lines()[0] ==
        "{\"input\":\"in/a.jpg\",\"status\":\"failed\",\"findings\":[],\"message\":\"not a picture "
        "in a format that qturn reads\"}");
  CHECK(result.out_lines()[1] ==
        "{\"input\":\"in/b.jpg\",\"status\":\"disagrees\",\"findings\":[\"XMP says orientation 3, "
        "the picture's is 6\"],\"message\":\"\"}");
  CHECK_THAT(
      result.out_lines()[2],
      ContainsSubstring("\"status\":\"failed\",\"findings\":[],\"message\":\"the Exif block has "
                        "a header that some programs read"));
  CHECK(workplace.tree("in") == before);
  CHECK(workplace.qturn({"check", "nowhere"}).exit_code == 2);
  CHECK(workplace.qturn({"check"}).exit_code == 2);
}

TEST_CASE("What the program writes, it finds nothing in") {
  Workplace workplace;
  workplace.add("in/a.jpg", jpeg_with(exif({.thumbnail = cli::jpeg(cli::smooth_picture(32, 24))}) +
                                      xmp("tiff:Orientation='6' tiff:ImageWidth='64' "
                                          "tiff:ImageLength='48'")));
  workplace.add("in/b.jpg",
                jpeg_with_followers(cli::jpeg(cli::smooth_picture(64, 48)), exif({}),
                                    {jpeg_with(exif({})), jpeg_with("", 32, 24)}, {0x010001, 0}));
  CHECK(workplace.qturn({"check", "in"}).exit_code == 0);
  for (const char* turn : {"upright", "cw", "flop", "transverse"}) {
    CHECK(workplace.qturn({turn, "in", "-o", turn}).exit_code == 0);
    const Result result = workplace.qturn({"check", turn});
    CAPTURE(turn, result.out);
    CHECK(result.exit_code == 0);
  }
}
