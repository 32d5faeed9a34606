// JPEGs turned by moving their coefficients.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cstdlib>
#include <string>

#include "src/formats/jpeg/lossless.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/jpeg_turns.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace jpeg_lossless_test {

namespace {

using namespace qturn;
using namespace qturn::jpeg;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

const std::vector<JpegPicture> kinds = jpeg_kinds();

Bytes make(JpegPicture picture, int width, int height) {
  picture.width = width;
  picture.height = height;
  return make_jpeg(picture);
}

// What jpegtran writes; empty if it is not there.
Bytes jpegtran(const Bytes& file, const std::string& arguments) {
  const TemporaryFolder folder;
  folder.add("in.jpg", std::string(text_of(file)));
  const std::string in = (folder.path() / "in.jpg").string(),
                    out = (folder.path() / "out.jpg").string();
  const std::string command = "jpegtran -copy none " + arguments + " -outfile " + out + " " + in;
  if (std::system(command.c_str()) != 0) return {};
  return owned(content_of(out));
}

std::string jpegtran_name(Orientation orientation) {
  constexpr const char* names[] = {
      "",           "-flip horizontal", "-rotate 180", "-flip vertical",
      "-transpose", "-rotate 90",       "-transverse", "-rotate 270"};
  return names[static_cast<int>(orientation) - 1];
}

void need_jpegtran() {
  if (std::system("jpegtran -version > /dev/null 2>&1") == 127 << 8)
    SKIP("jpegtran is not installed (libjpeg-turbo-progs)");
}

// From the first scan header on.
std::string_view scans_of(const Bytes& file) {
  const std::string_view text = text_of(file);
  return text.substr(text.find("\xFF\xDA"));
}

}  // namespace

TEST_CASE("Every coefficient is moved to its place, and has its sign") {
  for (const JpegPicture& kind : kinds) {
    // Whole MCUs, 32 x 16 at the most, and one more in each direction that need not move.
    const Bytes file = make(kind, 96, 64);
    const JpegInside before = look_inside(file);
    for (const Orientation orientation : turns) {
      const JpegInside after = look_inside(turn(file, orientation, by_coefficients));
      const bool swapped = swaps_axes(orientation);
      CHECK(after.width == (swapped ? 64 : 96));
      CHECK(after.space == before.space);
      CHECK(after.progressive == before.progressive);
      CHECK(after.scans == before.scans);
      for (std::size_t c = 0; c < before.components.size(); ++c) {
        const JpegComponent &was = before.components[c], &is = after.components[c];
        CHECK(is.id == was.id);
        CHECK(is.h == (swapped ? was.v : was.h));
        CHECK(is.v == (swapped ? was.h : was.v));
        for (std::size_t k = 0; k < 64; ++k) {
          CHECK(is.table[k] == was.table[swapped ? k % 8 * 8 + k / 8 : k]);
        }
      }
      CHECK(different_coefficients(before, after, orientation) == 0);
    }
  }
}

TEST_CASE(
    "An edge that cuts through blocks does not matter if it does not move to the left or top") {
  for (const JpegPicture& kind : kinds) {
    const Bytes file = make(kind, 91, 61);
    const JpegInside before = look_inside(file),
                     after = look_inside(turn(file, Orientation::transpose, by_coefficients));
    CHECK(different_coefficients(before, after, Orientation::transpose) == 0);
  }
  const Bytes wide = make({.h = 2, .v = 2}, 91, 64);
  const JpegInside before = look_inside(wide),
                   after = look_inside(turn(wide, Orientation::flip, by_coefficients));
  CHECK(compare_coefficients(before, after, Orientation::flip, 0).different == 0);
}

TEST_CASE("Four quarter turns give the file of the identity, byte for byte") {
  for (const JpegPicture& kind : kinds) {
    const Bytes file = make(kind, 96, 64);
    Bytes turned = file;
    for (int i = 0; i < 4; ++i) turned = turn(turned, Orientation::rotate90, by_coefficients);
    CHECK(turned == turn(file, Orientation::identity, by_coefficients));
    const JpegInside before = look_inside(file), after = look_inside(turned);
    CHECK(different_coefficients(before, after, Orientation::identity) == 0);
  }
}

TEST_CASE("Scans are jpegtran's, byte for byte") {
  need_jpegtran();
  for (const JpegPicture& kind : kinds) {
    const Bytes file = make(kind, 96, 64);
    for (const Orientation orientation : turns) {
      const Bytes ours = turn(file, orientation, by_coefficients);
      const std::string perfect = "-perfect " + jpegtran_name(orientation);
      // It has tables of its own, restarts only if told so, and one scan unless progressive: where
      // the picture has others, both are brought to the same tables.
      const bool as_it_is =
          !kind.optimised && !kind.progressive && !kind.one_scan_each && kind.restart_interval == 0;
      const Bytes wanted = jpegtran(file, perfect + (as_it_is ? "" : " -optimize"));
      const Bytes got = as_it_is ? ours : jpegtran(ours, "-optimize");
      REQUIRE(!wanted.empty());
      CHECK(scans_of(got) == scans_of(wanted));
    }
  }
}

TEST_CASE("Edges that do not fill a block are refused, or trimmed and nothing else") {
  const Bytes file = make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2});
  CHECK(JpegTurn(file, by_coefficients).route(Orientation::rotate90) == Route::none);
  CHECK(turn_embedded_jpeg(file, Orientation::transpose) ==
        turn(file, Orientation::transpose, by_coefficients));

  const JpegOptions trim{JpegMode::lossless, JpegEdges::trim};
  const Bytes trimmed = turn(file, Orientation::rotate90, trim);
  CHECK(JpegTurn(file, trim).turned_size(Orientation::rotate90) == Size{48, 91});
  CHECK(JpegTurn(file, {JpegMode::lossless, JpegEdges::tag}).turned_size(Orientation::rotate90) ==
        Size{91, 61});
  const JpegInside before = look_inside(file), after = look_inside(trimmed);
  CHECK(after.width == 48);  // 61 rows without the 13 of a cut MCU
  CHECK(after.height == 91);
  CHECK(different_coefficients(before, after, Orientation::rotate90) == 0);
  const Bytes tiny = make_jpeg({.width = 15, .height = 40, .h = 2, .v = 2});
  CHECK(JpegTurn(tiny, trim).route(Orientation::flop) == Route::none);
}

TEST_CASE("A part at the upper left is taken as jpegtran takes it") {
  need_jpegtran();
  for (const JpegPicture& kind : kinds) {
    const Bytes file = make(kind, 91, 61);
    for (const Size size : {Size{91, 61}, Size{80, 33}, Size{1, 61}, Size{64, 32}}) {
      const Bytes ours = cropped_jpeg(file, size);
      const std::string area =
          "-optimize -crop " + std::to_string(size.width) + "x" + std::to_string(size.height);
      const Bytes wanted = jpegtran(file, area + "+0+0");
      REQUIRE(!wanted.empty());
      CHECK(scans_of(jpegtran(ours, "-optimize")) == scans_of(wanted));
      CHECK(look_inside(ours).progressive == kind.progressive);
    }
  }
  const Bytes file = make({}, 91, 61);
  CHECK_THROWS_AS(cropped_jpeg(file, {92, 61}), ImageFileError);
  CHECK_THROWS_AS(cropped_jpeg(file, {91, 62}), ImageFileError);
  CHECK_THROWS_AS(cropped_jpeg(file, {0, 61}), ImageFileError);
}

TEST_CASE("A coefficient that 8-bit JPEG does not have is damage") {
  // Sixteen times the same step up of 1,024 in the DC coefficient leads out of the range.
  JpegPicture picture{.width = 8 * 64, .height = 8, .space = JCS_GRAYSCALE};
  Bytes file = make_jpeg(picture);
  const std::string_view text = text_of(file);
  const std::size_t data = text.find("\xFF\xDA") + 2 + 8;
  file.resize(data);
  // DC size 11 is 111111110 in the standard's table for luma; eleven bits; 1010 ends the block.
  std::string bits;
  for (int i = 0; i < 64; ++i)
    bits +=
        "111111110"
        "11111111111"
        "1010";
  for (std::size_t i = 0; i < bits.size(); i += 8) {
    int byte = 0;
    for (std::size_t k = 0; k < 8; ++k)
      byte = byte * 2 + (i + k >= bits.size() || bits[i + k] == '1');
    file.push_back(static_cast<std::byte>(byte));
    if (byte == 255) file.push_back(std::byte{0});
  }
  file.push_back(std::byte{0xFF});
  file.push_back(std::byte{0xD9});
  CHECK_THAT(refusal(file, by_coefficients), ContainsSubstring("larger than 8-bit JPEG has"));
}

}  // namespace jpeg_lossless_test
