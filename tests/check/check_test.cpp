#include "src/check/check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <utility>
#include <vector>

#include "src/formats/table.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/metadata.hpp"

namespace metadata_check_test {

using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using cli::Picture;
using cli::smooth_picture;
using std::string_literals::operator""s;

namespace {

const std::string was_cut = ": they were cut, or something else is wrong; look at the picture\n";

std::string jpeg_with(const std::string& segments, int width = 64, int height = 48) {
  return with_segments(cli::jpeg(smooth_picture(width, height)), segments);
}

/// What is found in a file, in a line each.
std::string findings(const std::string& file) {
  std::string lines;
  for (const std::string& finding :
       qturn::check_picture(qturn::bytes_of(file), "", false, qturn::Limits{}))
    lines += finding + "\n";
  return lines;
}

/// The same of a file that is damaged.
std::string damage(const std::string& file) {
  try {
    (void)findings(file);
  } catch (const qturn::ImageFileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("The size of the sensor in a picture that was made smaller is not a finding") {
  for (const auto& [width, height] : {std::pair{32, 24}, {21, 16}, {13, 10}, {128, 96}}) {
    CAPTURE(width);
    CHECK(findings(jpeg_with(exif_segment({.orientation = 1}), width, height)).empty());
  }
}

TEST_CASE("What disagrees is a finding") {
  CHECK(findings(jpeg_with(exif_segment({.orientation = 1}) +
                           xmp_segment(xmp_packet_with("tiff:Orientation='6'")))) ==
        "XMP says orientation 6, the picture's is 1; correct the wrong one, for example "
        "with ExifTool\n");
  // Turned by a program that forgot the tag and the sizes.
  CHECK(findings(jpeg_with(exif_segment({}), 48, 64)) ==
        "Exif says 64 x 48, the pixels are 48 x 64: they may have been turned, and "
        "orientation 6 be left over; if the picture looks wrong, set that to 1 (exiftool -n "
        "-Orientation=1)\n");
  CHECK(findings(jpeg_with(exif_segment({.orientation = 1}), 48, 64)) ==
        "Exif says 64 x 48, the pixels are 48 x 64: they may have been turned; if the "
        "picture looks right, nothing needs to be done\n");
  CHECK(findings(jpeg_with(exif_segment({.orientation = 1}), 32, 32)) ==
        "Exif says 64 x 48, the pixels are 32 x 32" + was_cut);
  CHECK(findings(jpeg_with(exif_segment({.thumbnail = cli::jpeg(smooth_picture(24, 32))}))) ==
        "the thumbnail is 24 x 32, of another shape than the pixels, 64 x 48: it may "
        "be upright already; programs that show it first show another picture, so make it again\n");
  CHECK(findings(jpeg_with(exif_segment(
            {.thumbnail = cli::jpeg(smooth_picture(32, 24)), .thumbnail_orientation = 3}))) ==
        "the thumbnail says orientation 3, the picture's is 6; correct the wrong one, for "
        "example with ExifTool\n");
  CHECK(findings(jpeg_with(jpeg_segment(0xE1, "Exif\0\0XX"s + exif_fixture({}).substr(2)))) ==
        "the Exif block is damaged\n");
  CHECK(findings(jpeg_with(jpeg_segment(0xE1, "Exif\0\xFF"s + exif_fixture({})), 32, 32)) ==
        "Exif says 64 x 48, the pixels are 32 x 32" + was_cut);
  CHECK_THAT(findings(jpeg_with(exif_segment({.thumbnail = "no JPEG"}))),
             EndsWith("the Exif block is damaged\n"));
  CHECK_THAT(findings(jpeg_with(xmp_segment(xmp_packet_with("tiff:Orientation='<'")))),
             ContainsSubstring("orientation '<', which does not exist"));
  CHECK(findings(cli::png(smooth_picture(20, 5), png_chunk("eXIf", exif_fixture({})))) ==
        "Exif says 64 x 48, the pixels are 20 x 5" + was_cut);
}

TEST_CASE("Extended XMP, pictures that follow and later pages of a TIFF are looked at") {
  const auto extended = [](const std::string& packet, std::size_t at) {
    return jpeg_segment(0xE1, "http://ns.adobe.com/xmp/extension/\0"s + std::string(32, 'A') +
                                  in_big_endian(1000, 4) + in_big_endian(unsigned(at), 4) + packet);
  };
  const std::string says = xmp_packet_with("tiff:ImageWidth='48' tiff:ImageLength='64'");
  CHECK(findings(jpeg_with(extended(says.substr(0, 300), 0) + extended(says.substr(300), 300))) ==
        "extended XMP says 48 x 64, the pixels are 64 x 48: they may have been "
        "turned; if the picture looks right, nothing needs to be done\n");
  CHECK(findings(jpeg_with(extended(says, 1))) == "the extended XMP is damaged\n");

  const auto followed = [](const std::string& trailing) {
    return jpeg_with_trailing_pictures(cli::jpeg(smooth_picture(64, 48)), exif_segment({}),
                                       {trailing}, {0x010001});
  };
  CHECK(findings(followed(jpeg_with(exif_segment({})))).empty());
  CHECK(findings(followed(jpeg_with("", 32, 24))).empty());
  CHECK(findings(followed(jpeg_with(exif_segment({.orientation = 1})))) ==
        "picture 2 of the file says orientation 1, the picture's is 6; correct the wrong "
        "one, for example with ExifTool\n");
  CHECK(findings(followed(jpeg_with(exif_segment({}), 32, 32))) ==
        "picture 2 of the file: Exif says 64 x 48, the pixels are 32 x 32" + was_cut);
  CHECK(findings(followed(jpeg_with(exif_segment({}), 32, 24))).empty());
  CHECK(findings(followed(jpeg_with("", 24, 32))) ==
        "picture 2 of the file is 24 x 32, of another shape than the pixels, 64 x 48: "
        "it may be upright already; programs that show it first show another picture, so make it "
        "again\n");
  CHECK(findings(followed("no picture")) ==
        "picture 2 of the file cannot be read: is not a JPEG\n");
  const std::string whole = followed(jpeg_with(exif_segment({})));
  CHECK(findings(whole.substr(0, whole.size() - 3) + "\xFF\xD9") ==
        "the index of the pictures after the first (MPF) is damaged\n");
  CHECK(findings(whole.substr(0, whole.size() - 1)) ==
        "picture 2 of the file: the marker of its end (EOI) is missing\n");
  CHECK_THAT(damage(whole.substr(0, whole.size() - 4)),
             ContainsSubstring("truncated: ") && ContainsSubstring("picture 2 of the file"));

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
  const std::string turned =
      ": they may have been turned, and orientation 6 be left over; if the picture looks wrong, "
      "set that to 1 (exiftool -n -Orientation=1)\n";
  CHECK(findings(pages(xmp_packet_with("tiff:Orientation='1'"))) ==
        "Exif of page 2 says 3 x 5, the pixels are 5 x 3" + turned +
            "XMP of page 2 says orientation 1, the picture's is 6; correct the wrong one, "
            "for example with ExifTool\n");
}

TEST_CASE("Bytes after a picture are a finding") {
  const Picture picture = smooth_picture(5, 3);
  const std::string said = "4 bytes after the picture\n";
  CHECK(findings(cli::png(picture) + "more") == "4 bytes after the end of the PNG\n");
  CHECK(findings(cli::encoded(picture, qturn::bmp::codec) + "more") ==
        "the header says 102 bytes, the file has 106\n" + said);
  CHECK(findings(cli::encoded(picture, qturn::tiff::codec) + "more") == said);
  CHECK(findings(cli::encoded(picture, qturn::webp::codec) + "more") == said);
  CHECK(findings("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\nrgbemore") == said);
}

TEST_CASE("A TIFF's fields that are not in order, and an orientation that is none, are findings") {
  const ByteOrder order{true};
  ExifDirectory page;
  for (const auto& [tag, value] :
       {std::pair(256, 1), {257, 1}, {258, 8}, {259, 1}, {262, 1}, {278, 1}, {277, 1}, {274, 9}}) {
    page.add_short(static_cast<unsigned>(tag), static_cast<unsigned>(value), order);
  }
  page.add_long(273, 4, order);
  page.add_long(279, 1, order);
  CHECK(findings("II" + order.u16(42) + order.u32(8) + page.at(8, 0, order)) ==
        "orientation 9 is not one of the eight; 1 is assumed\n"
        "the fields of page 1 are not in order\n");
}

}  // namespace metadata_check_test
