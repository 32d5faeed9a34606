#include "src/formats/tiff/directories.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <string>

#include "src/picture/image.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace tiff_directories_test {

namespace {

using namespace qturn;
using namespace qturn::tiff;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_view_literals::operator""sv;

TiffField text_field(std::uint16_t tag, std::string_view text) {
  return {tag, tiff_type::ascii, text.size(), owned(text)};
}

// A page of one strip, which lies at the beginning of `pixels`.
TiffDirectory page(std::string_view description, std::size_t strip_bytes) {
  TiffDirectory directory;
  directory.fields = {text_field(tiff_tag::description, description),
                      u16_field(tiff_tag::orientation, 6), u32_field(tiff_tag::strip_offsets, 0),
                      u32_field(tiff_tag::strip_byte_counts, strip_bytes)};
  directory.children[tiff_tag::exif].fields = {text_field(37500, "a long maker note"),
                                               u16_field(37510, 3)};
  directory.children[tiff_tag::exif].children[tiff_tag::interoperability].fields = {
      text_field(1, "R98\0"sv)};
  return directory;
}

Bytes make_tiff(bool big) {
  const Bytes first = owned("pixels of one"), second = owned("pixels of two!");
  const std::span<const std::byte> pixels[] = {first, second};
  return write_tiff({.big = big, .pages = {page("one", 13), page("the second", 14)}}, pixels);
}

}  // namespace

TEST_CASE("What is written is read again: pages, fields, children, strips") {
  for (const bool big : {false, true}) {
    const Bytes file = make_tiff(big);
    const TiffFile tiff = read_tiff(file);
    CHECK(tiff.big == big);
    REQUIRE(tiff.pages.size() == 2);
    const TiffDirectory& second = tiff.pages[1];
    CHECK(text_of(second.find(tiff_tag::description)->value) == "the second");
    CHECK(second.integer(tiff_tag::orientation, 0) == 6);
    const auto at = second.integer(tiff_tag::strip_offsets, 0);
    CHECK(text_of(file).substr(at, 14) == "pixels of two!");
    const TiffDirectory& exif = second.children.at(tiff_tag::exif);
    CHECK(text_of(exif.find(37500)->value) == "a long maker note");
    CHECK(exif.integer(37510, 0) == 3);
    CHECK(text_of(exif.children.at(tiff_tag::interoperability).find(1)->value) == "R98\0"sv);
    CHECK(second.find(tiff_tag::exif) == nullptr);
  }
}

TEST_CASE("What a TIFF leads to ends before what follows it") {
  for (const bool big : {false, true}) {
    Bytes file = make_tiff(big);
    const std::size_t size = file.size();
    CHECK(read_tiff(file).end == size);
    file.resize(size + 5, std::byte{'x'});
    CHECK(read_tiff(file).end == size);
  }
}

TEST_CASE("Every cut is a failure that names the page") {
  for (const bool big : {false, true}) {
    const Bytes file = make_tiff(big);
    for (std::size_t size = 0; size < file.size(); ++size)
      CHECK_THROWS_AS(read_tiff(cut(file, size)), ImageFileError);
    CHECK_THROWS_WITH(read_tiff(cut(file, file.size() - 1)),
                      ContainsSubstring("of page 2 lies beyond the end"));
  }
}

TEST_CASE("No changed byte makes the reader leave the file") {
  // What was read, with all that it leads to, lies in the file.
  const auto is_inside = [](const TiffFile& tiff, std::size_t size) {
    for (const TiffDirectory& page : tiff.pages) {
      const auto offsets = page.integers(tiff_tag::strip_offsets),
                 counts = page.integers(tiff_tag::strip_byte_counts);
      for (std::size_t i = 0; i < std::min(offsets.size(), counts.size()); ++i) {
        if (offsets[i] > size || counts[i] > size - offsets[i]) return false;
      }
      for (const TiffField& field : page.fields) {
        if (field.value.size() > size) return false;
      }
    }
    return !tiff.pages.empty() && tiff.end <= size;
  };
  int read = 0, refused = 0, astray = 0;
  for (const bool big : {false, true}) {
    const Bytes file = make_tiff(big);
    for (std::size_t i = 2; i < file.size(); ++i) {
      for (const std::byte change : {std::byte{0xFF}, std::byte{0x01}, std::byte{0x80}}) {
        Bytes changed = file;
        changed[i] ^= change;
        try {
          astray += !is_inside(read_tiff(changed), changed.size());
          ++read;
        } catch (const ImageFileError&) {
          ++refused;
        }
      }
    }
  }
  CHECK(astray == 0);
  CHECK(read > 0);
  CHECK(refused > 0);
}

TEST_CASE("Big-endian values are read as numbers and as texts") {
  const auto file =
      "MM\0*\0\0\0\x08\0\x02"
      "\x01\x00\0\x03\0\0\0\x01\x12\x34\0\0"
      "\x01\x0e\0\x02\0\0\0\x04"
      "abc\0"
      "\0\0\0\0"sv;
  const TiffFile tiff = read_tiff(bytes_of(file));
  CHECK(tiff.pages[0].integer(tiff_tag::width, 0) == 0x1234);
  CHECK(text_of(tiff.pages[0].find(tiff_tag::description)->value) == "abc\0"sv);
}

TEST_CASE("A strip that reaches beyond the end is a failure") {
  const auto with_strip_of = [](char bytes) {
    std::string file(
        "II*\0\x08\0\0\0\x02\0"
        "\x11\x01\x04\0\x01\0\0\0\x26\0\0\0"
        "\x17\x01\x04\0\x01\0\0\0\0\0\0\0"
        "\0\0\0\0"
        "strip"sv);
    file[30] = bytes;
    return file;
  };
  CHECK_NOTHROW(read_tiff(bytes_of(with_strip_of(5))));
  CHECK_THROWS_WITH(read_tiff(bytes_of(with_strip_of(6))), ContainsSubstring("a strip of page 1"));
}

TEST_CASE("A circle of pages is a failure") {
  const auto file = "II*\0\x08\0\0\0\x01\0\x00\x01\x03\0\x01\0\0\0\x05\0\0\0\x08\0\0\0"sv;
  CHECK_THROWS_WITH(read_tiff(bytes_of(file)), ContainsSubstring("circle"));
}

}  // namespace tiff_directories_test
