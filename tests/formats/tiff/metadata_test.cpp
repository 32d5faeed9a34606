#include "src/formats/tiff/orientation_metadata.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "src/formats/tiff/directories.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/image.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace tiff_metadata_test {

namespace {

using namespace qturn;
using namespace qturn::tiff;
using namespace qturn::tests;

// Pages without samples: what counts here is beside them.
Bytes tiff_of(std::vector<TiffDirectory> pages, bool big) {
  return write_tiff({.big = big, .pages = std::move(pages)}, {});
}

TiffDirectory page(unsigned width, unsigned height, std::optional<unsigned> orientation,
                   const std::string& xmp = {}) {
  TiffDirectory page;
  page.fields = {u16_field(tiff_tag::width, width), u16_field(tiff_tag::height, height)};
  if (orientation) page.fields.push_back(u16_field(tiff_tag::orientation, *orientation));
  if (!xmp.empty()) page.fields.push_back({tiff_tag::xmp, tiff_type::u8, xmp.size(), owned(xmp)});
  return page;
}

}  // namespace

TEST_CASE("Each page of a TIFF and of a BigTIFF is tagged, where a tag is missing too") {
  const bool big = GENERATE(false, true);
  const Bytes before = tiff_of({page(64, 48, 1), page(32, 24, std::nullopt), page(8, 8, 9)}, big);
  const MetadataTurn turn{.tag = Orientation::transverse};
  std::vector<std::string> warnings;
  const auto turned = [&](MissingTag missing) {
    return turn_tiff_metadata(before, turn, OtherPages::are_tagged, missing, warnings);
  };
  const Bytes after = turned(MissingTag::is_added);
  CHECK(warnings.empty());
  const TiffFile tiff = read_tiff(after);
  REQUIRE(tiff.pages.size() == 3);
  for (const TiffDirectory& one : tiff.pages) CHECK(one.integer(tiff_tag::orientation, 1) == 7);
  CHECK(tiff.pages[1].integer(tiff_tag::width, 0) == 32);
  CHECK(tiff.pages[2].integer(tiff_tag::height, 0) == 8);
  CHECK(std::is_sorted(tiff.pages[1].fields.begin(), tiff.pages[1].fields.end(),
                       [](const TiffField& a, const TiffField& b) { return a.tag < b.tag; }));

  const Bytes absent = turned(MissingTag::stays_absent);
  CHECK(absent.size() == before.size());
  CHECK_FALSE(read_tiff(absent).pages[1].find(tiff_tag::orientation));
}

TEST_CASE(
    "A page that is stored in another orientation than the first gets what its own asks for") {
  const bool big = GENERATE(false, true);
  const Bytes before = tiff_of({page(64, 48, 6), page(32, 24, 8), page(8, 8, std::nullopt)}, big);
  std::vector<std::string> warnings;
  const auto orientations_of = [](const TiffFile& tiff) {
    std::vector<std::uint64_t> all;
    for (const TiffDirectory& one : tiff.pages)
      all.push_back(one.integer(tiff_tag::orientation, 1));
    return all;
  };
  const MetadataTurn tag{.stored = Orientation::rotate90, .tag = Orientation::rotate180};
  const TiffFile tagged = read_tiff(
      turn_tiff_metadata(before, tag, OtherPages::are_tagged, MissingTag::is_added, warnings));
  CHECK(orientations_of(tagged) == std::vector<std::uint64_t>{3, 1, 6});
  const MetadataTurn pixels{.stored = Orientation::rotate90, .pixels = Orientation::rotate180};
  const TiffFile turned = read_tiff(
      turn_tiff_metadata(before, pixels, OtherPages::are_turned, MissingTag::is_added, warnings));
  CHECK(orientations_of(turned) == std::vector<std::uint64_t>{1, 1, 1});
  CHECK(warnings.empty());
}

TEST_CASE("An XMP packet that grows is put after the end, each page with its own size") {
  const bool big = GENERATE(false, true);
  const std::string xmp = xmp_packet_with("tiff:ImageWidth='8' tiff:ImageLength='1000'", "", 0);
  const Bytes before = tiff_of({page(1000, 48, 1, xmp), page(32, 24, 1, xmp)}, big);
  const MetadataTurn turn{.pixels = Orientation::rotate90};
  std::vector<std::string> warnings;
  const TiffFile after = read_tiff(
      turn_tiff_metadata(before, turn, OtherPages::are_turned, MissingTag::stays_absent, warnings));
  const auto says = [&](std::size_t i) {
    return read_xmp(text_of(after.pages[i].find(tiff_tag::xmp)->value));
  };
  CHECK(says(0).width == "1000");
  CHECK(says(0).height == "48");
  CHECK(says(1).width == "32");
  CHECK(says(1).height == "24");
}

TEST_CASE("A circle of pages is refused, and so is a cut at any place") {
  // The directory comes last, so no cut leaves the page whole.
  const Bytes whole = tiff_of({page(64, 48, 6, xmp_packet_with("tiff:Orientation='6'"))}, false);
  const MetadataTurn turn{.stored = Orientation::rotate90, .pixels = Orientation::rotate90};
  const auto turned = [&](std::size_t size) {
    std::vector<std::string> warnings;
    return turn_tiff_metadata(cut(whole, size), turn, OtherPages::are_turned, MissingTag::is_added,
                              warnings);
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(turned(size), ImageFileError);
  }
  const TiffFile upright = read_tiff(turned(whole.size()));
  CHECK(upright.pages.at(0).integer(tiff_tag::orientation, 0) == 1);
  CHECK(read_xmp(text_of(upright.pages[0].find(tiff_tag::xmp)->value)).orientation == "1");
  Bytes circle = tiff_of({page(64, 48, 6)}, false);
  const std::size_t first = std::to_integer<std::size_t>(circle[4]);
  circle[circle.size() - 4] = static_cast<std::byte>(first);
  std::vector<std::string> warnings;
  CHECK_THROWS_AS(
      turn_tiff_metadata(circle, turn, OtherPages::are_turned, MissingTag::is_added, warnings),
      ImageFileError);
}

}  // namespace tiff_metadata_test
