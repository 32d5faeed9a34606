#include "src/oiio/pixels_end.hpp"

#include <catch2/catch_test_macros.hpp>

#include "src/formats/bytes_behind.hpp"
#include "tests/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

}  // namespace

TEST_CASE("Bytes behind a picture are told of unless they are zeros or stand before it already") {
  const auto warned = [](std::string_view kept, std::string_view rest) {
    std::vector<std::string> warnings;
    const std::string file = std::string(kept) + std::string(rest);
    warn_of_bytes_behind(bytes_of(file), kept.size(), warnings);
    return !warnings.empty();
  };
  CHECK(warned("a picture", "tail"));
  CHECK(warned("a picture", "pictures"));
  CHECK(warned("a picture", "re"));  // too few to be told from chance
  CHECK(warned(std::string(65, 'x'), std::string(65, 'x')));
  CHECK_FALSE(warned("a picture", "ture"));
  CHECK_FALSE(warned("a picture", "\0\0\0"sv));
  CHECK_FALSE(warned("a picture", ""));
}

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
  // Run lengths: 200 x 100 pixels of 8 bits in 20 bytes, which is said in its place alone.
  const Bytes runs = bmp("\x28\0\0\0\xC8\0\0\0\x64\0\0\0\x01\0\x08\0\x01\0\0\0\x14\0\0\0"sv, 60);
  CHECK(bmp_pixels_end(runs) == 26 + 20);

  const std::string run = "\x02\x02\0\x08\x88\x01"s + "\x88\x02" + "\x88\x03" + "\x08" + "abcdefgh";
  const auto end_of = [](std::string_view text) { return hdr_pixels_end(bytes_of(text), 0); };
  const std::string whole = "-Y 2 +X 8\n" + run + run;
  CHECK(end_of(whole + "tail") == whole.size());
  const std::string mixed = "-Y 2 +X 8\n" + run + std::string(32, 'x');
  CHECK(end_of(mixed + "tail") == mixed.size());
  // A line of more pixels than the file has bytes.
  std::string flat = "-Y 1 +X 16000\n\x02\x02\x3E\x80"s;
  for (int channel = 0; channel < 4; ++channel) {
    for (int left = 16000; left > 0; left -= 127) {
      flat += static_cast<char>(128 + std::min(left, 127));
      flat += 'v';
    }
  }
  CHECK(end_of(flat + "tail") == flat.size());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CHECK(end_of(whole.substr(0, cut)) >= cut);
  }
  CHECK(end_of("-Y 99999999999999 +X 0\nx") == 24);
  CHECK(end_of("-Y 2 +X 99999999999999\nx") == 24);
  const std::string overrun = "-Y 1 +X 8\n\x02\x02\0\x08\x89\x01 and so on"s;
  CHECK(end_of(overrun) == overrun.size());
}
