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
using qturn::tests::exif_fixture;
using qturn::tests::ExifSays;
using qturn::tests::jpeg_segment;
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
  CHECK(workplace.qturn({"check", "in"}).exit_code == 0);
  for (const char* turn : {"upright", "cw", "flop", "transverse"}) {
    CHECK(workplace.qturn({turn, "in", "-o", turn}).exit_code == 0);
    const Result result = workplace.qturn({"check", turn});
    CAPTURE(turn, result.out);
    CHECK(result.exit_code == 0);
  }
}
