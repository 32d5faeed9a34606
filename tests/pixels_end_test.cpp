#include "src/oiio/pixels_end.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

}  // namespace

TEST_CASE("Where the pixels of a bitmap and of a Radiance picture end is told by their headers") {
  const auto bmp = [](std::string_view header, std::size_t pixels) {
    return owned("BM" + std::string(8, '\0') + "\x1A\0\0\0"s + std::string(header) +
                 std::string(pixels, 'p'));
  };
  // OS/2: 3 x 2 pixels of 24 bits, rows of 12 bytes.
  const Bytes core = bmp("\x0C\0\0\0\x03\0\x02\0\x01\0\x18\0"sv, 30);
  CHECK(bmp_pixels_end(core) == 26 + 24);
  // Absurd sizes tell nothing.
  Bytes absurd = core;
  absurd[18] = absurd[19] = absurd[20] = absurd[21] = std::byte{0xFF};
  CHECK(bmp_pixels_end(absurd) == absurd.size());
  CHECK(bmp_pixels_end(std::span(core).first(25)) == 25);

  const std::string run = "\x02\x02\0\x08\x88\x01"s + "\x88\x02" + "\x88\x03" + "\x08" + "abcdefgh";
  const auto end_of = [](std::string_view text) { return hdr_pixels_end(bytes_of(text), 0); };
  const std::string whole = "-Y 2 +X 8\n" + run + run;
  CHECK(end_of(whole + "tail") == whole.size());
  const std::string mixed = "-Y 2 +X 8\n" + run + std::string(32, 'x');
  CHECK(end_of(mixed + "tail") == mixed.size());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CHECK(end_of(whole.substr(0, cut)) >= cut);
  }
  CHECK(end_of("-Y 99999999999999 +X 0\nx") == 24);
  CHECK(end_of("-Y 2 +X 99999999999999\nx") == 24);
  const std::string overrun = "-Y 1 +X 8\n\x02\x02\0\x08\x89\x01 and so on"s;
  CHECK(end_of(overrun) == overrun.size());
}
