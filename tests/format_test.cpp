#include "src/formats/format.hpp"

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <string_view>
#include <utility>

namespace {

using namespace qturn;
using namespace std::string_view_literals;

std::optional<Format> of_content(std::string_view head, std::string_view suffix = "") {
  return format_of_content(std::as_bytes(std::span(head.data(), head.size())), suffix);
}

constexpr std::array all_formats = {Format::jpeg,    Format::png,  Format::tiff,
                                    Format::openexr, Format::webp, Format::bmp,
                                    Format::pnm,     Format::tga,  Format::hdr};

}  // namespace

TEST_CASE("A format is known by its signature, whatever the suffix says") {
  CHECK(of_content("\xff\xd8\xff\xe0\0\x10JFIF"sv, ".png") == Format::jpeg);
  CHECK(of_content("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv, ".jpg") == Format::png);
  CHECK(of_content("II*\0\x08\0\0\0"sv) == Format::tiff);
  CHECK(of_content("MM\0*\0\0\0\x08"sv) == Format::tiff);
  CHECK(of_content("II+\0\x08\0\0\0"sv) == Format::tiff);
  CHECK(of_content("MM\0+\0\x08\0\0"sv) == Format::tiff);
  CHECK(of_content("v/1\x01\x02\0\0\0"sv) == Format::openexr);
  CHECK(of_content("RIFF\x10\0\0\0WEBPVP8L"sv) == Format::webp);
  CHECK(of_content("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"sv) == Format::bmp);
  CHECK(of_content("#?RADIANCE\n"sv) == Format::hdr);
  for (const char* pnm : {"P1 ", "P2\n", "P3\t", "P4 ", "P5\n", "P6\n", "PF\n", "Pf\n"}) {
    CHECK(of_content(pnm) == Format::pnm);
  }
}

TEST_CASE("Text, other containers and cut signatures are no pictures") {
  for (const std::string_view head :
       {""sv, "hello, world, this is text"sv, "\xff\xd8"sv, "\x89PNG\r\n"sv, "RIFF\x10\0\0\0WAVE"sv,
        "BMW and other cars, a text file"sv, "P7\nWIDTH 3\n"sv, "P6x"sv, "PK\x03\x04"sv, "II*"sv,
        "GIF89a"sv}) {
    CHECK_FALSE(of_content(head, ".jpg").has_value());
  }
}

TEST_CASE("Camera raw files are TIFF inside and no pictures for us") {
  for (const char* suffix : {".cr2", ".nef", ".arw", ".dng", ".orf", ".rw2", ".pef", ".srw"}) {
    CHECK_FALSE(of_content("II*\0\x08\0\0\0"sv, suffix).has_value());
  }
  CHECK(of_content("II*\0\x08\0\0\0"sv, ".tif") == Format::tiff);
}

TEST_CASE("TGA has no signature: suffix and a header that makes sense together decide") {
  const auto header = "\0\0\x02\0\0\0\0\0\0\0\0\0\x05\0\x07\0\x18\0"sv;
  CHECK(of_content(header, ".tga") == Format::tga);
  CHECK_FALSE(of_content(header, ".bin").has_value());
  CHECK_FALSE(of_content("some text that is long enough", ".tga").has_value());
  CHECK_FALSE(of_content(header.substr(0, 17), ".tga").has_value());
}

TEST_CASE("Suffixes are read in any case") {
  CHECK(format_of_suffix(".JPEG") == Format::jpeg);
  CHECK(format_of_suffix(".Tif") == Format::tiff);
  CHECK(format_of_suffix(".pgm") == Format::pnm);
  CHECK_FALSE(format_of_suffix("jpg").has_value());
  CHECK_FALSE(format_of_suffix(".txt").has_value());
  CHECK_FALSE(format_of_suffix("").has_value());
}

TEST_CASE("Names and preferred suffixes lead back to their format") {
  for (const Format format : all_formats) {
    CHECK(format_of_name(name(format)) == format);
    CHECK(format_of_suffix(suffix(format)) == format);
  }
  CHECK(format_of_name("jpg") == Format::jpeg);
  CHECK(format_of_name("tif") == Format::tiff);
  CHECK(format_of_name("exr") == Format::openexr);
  CHECK_FALSE(format_of_name("gif").has_value());
}
