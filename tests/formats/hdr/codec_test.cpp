#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

#include "tests/fixtures/codec_pictures.hpp"

namespace hdr_codec_test {

namespace {

using namespace qturn;
using namespace qturn::hdr;
using namespace qturn::tests;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

constexpr std::string_view lines =
    "#?RADIANCE\n# a comment\nEXPOSURE=2.5\nFORMAT=32-bit_rle_rgbe\n\n";

std::string file_of(std::string_view size, std::string_view data) {
  return std::string(lines) + std::string(size) + "\n" + std::string(data);
}

std::string turn(std::string_view file, Orientation orientation) {
  return std::string(text_of(turn_file(bytes_of(file), hdr::codec, orientation)));
}

std::string refused(std::string_view file) { return refusal(bytes_of(file), hdr::codec); }

std::string pixels(std::string_view file) {
  const Decoded decoded(bytes_of(file), hdr::codec);
  return std::string(text_of(pixels_of(decoded.image.pages[0])));
}

// Eight pixels "abcd", with run lengths.
constexpr std::string_view run =
    "\2\2\0\x08\x88"
    "a\x88"
    "b\x88"
    "c\x88"
    "d"sv;

}  // namespace

TEST_CASE("A plain HDR turns pixel by pixel, its lines of text as they are") {
  const std::string file = file_of("-Y 2 +X 3", "abcAdefDghiGjklJmnoMpqrP");
  CHECK(codec_of_content(bytes_of(file), "") == &hdr::codec);
  CHECK(turn(file, Orientation::identity) == file);
  CHECK(turn(file, Orientation::flop) == file_of("-Y 2 +X 3", "ghiGdefDabcApqrPmnoMjklJ"));
  CHECK(turn(file, Orientation::rotate90) == file_of("-Y 3 +X 2", "jklJabcAmnoMdefDpqrPghiG"));
  CHECK(hdr::codec.read_header(bytes_of(file)).storage_change == "");
}

TEST_CASE("The numbers in an HDR's size may have spaces before them") {
  const std::string data = "abcAdefDghiGjklJmnoMpqrP";
  CHECK(turn(file_of("-Y        2 +X        3", data), Orientation::rotate180) ==
        turn(file_of("-Y 2 +X 3", data), Orientation::rotate180));
  CHECK(refused(file_of("-Y         +X        3", data)) ==
        "damaged: the size of the Radiance picture");
}

TEST_CASE("The smallest values of an HDR stay") {
  const std::string file = file_of("-Y 1 +X 2", "\1\2\3\4\5\0\0\1"sv);
  CHECK(turn(file, Orientation::flop) == file_of("-Y 1 +X 2", "\5\0\0\1\1\2\3\4"sv));
}

TEST_CASE("The order of an HDR's scanlines is its orientation") {
  struct Case {
    std::string_view size;
    Orientation stored;
  };
  for (const Case& each : {
           Case{"-Y 2 +X 3", Orientation::identity},
           Case{"-Y 2 -X 3", Orientation::flop},
           Case{"+Y 2 -X 3", Orientation::rotate180},
           Case{"+Y 2 +X 3", Orientation::flip},
           Case{"+X 2 -Y 3", Orientation::transpose},
           Case{"-X 2 -Y 3", Orientation::rotate90},
           Case{"-X 2 +Y 3", Orientation::transverse},
           Case{"+X 2 +Y 3", Orientation::rotate270},
       }) {
    CAPTURE(each.size);
    const std::string file = file_of(each.size, "abcAdefDghiGjklJmnoMpqrP");
    const Header header = hdr::codec.read_header(bytes_of(file));
    CHECK(header.stored == each.stored);
    CHECK(header.width == 3);
    CHECK(header.height == 2);
    // Upright, it is the plain picture turned as the order says.
    const std::string plain = file_of("-Y 2 +X 3", "abcAdefDghiGjklJmnoMpqrP");
    CHECK(turn(file, each.stored) == turn(plain, each.stored));
  }
}

TEST_CASE("An HDR with run lengths has run lengths again") {
  const std::string file = file_of("-Y 2 +X 8", std::string(run) + std::string(run));
  CHECK(turn(file, Orientation::rotate180) == file);
  // A side that is too short for run lengths, and back.
  const std::string tall = turn(file, Orientation::rotate90);
  std::string wanted;
  for (int i = 0; i < 16; ++i) wanted += "abcd";
  CHECK(tall == file_of("-Y 8 +X 2", wanted));

  std::string wide(4 * 700, '\0');
  const std::vector<std::uint8_t> random = noise(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    wide[i] = i < 1600 ? static_cast<char>(random[i] | 2) : "abcd"[i % 4];
  }
  const std::string mixed = file_of(
      "-Y 2 +X 700", wide + "\2\2\2\xbc" + [] {
        std::string packets;
        for (int channel = 0; channel < 4; ++channel) {
          for (int left = 700; left > 0; left -= 100) packets += "\xe4z"s;
        }
        return packets;
      }());
  const std::string written = turn(mixed, Orientation::identity);
  CHECK(written.size() < lines.size() + 12 + 1600 + 200 + 4 * 20);
  CHECK(pixels(written) == wide + std::string(2800, 'z'));
  CHECK(turn(written, Orientation::rotate180) == turn(mixed, Orientation::rotate180));
}

TEST_CASE("A row of plain pixels that would be taken for run lengths gets them") {
  const std::string file = file_of("+Y 1 +X 8",
                                   "abcd"
                                   "abcd"
                                   "abcd"
                                   "abcd"
                                   "abcd"
                                   "abcd"
                                   "abcd"
                                   "\2\2\0\x08"sv);
  CHECK(pixels(turn(file, Orientation::flop)) ==
        "\2\2\0\x08"
        "abcdabcdabcdabcdabcdabcdabcd"sv);
}

TEST_CASE("Repeated pixels of before 1991 are read") {
  const std::string repeated = file_of("-Y 1 +X 6", "abcd\1\1\1\3efgh\1\1\1\1"sv);
  CHECK(pixels(repeated) == "abcdabcdabcdabcdefghefgh");
  std::string many;
  for (int i = 0; i < 258; ++i) many += "abcd";
  CHECK(pixels(file_of("-Y 1 +X 258", "abcd\1\1\1\1\1\1\1\1"sv)) == many);
  CHECK(refused(file_of("-Y 1 +X 6", "\1\1\1\6efgh"sv)) ==
        "damaged: run lengths lead out of a scanline");
  CHECK(refused(file_of("-Y 1 +X 6", "abcd\1\1\1\6"sv)) ==
        "damaged: run lengths lead out of a scanline");
  CHECK(refused(file_of("-Y 1 +X 6", "abcd\1\1\1\0\1\1\1\0\1\1\1\0\1\1\1\0\1\1\1\0"sv)) ==
        "damaged: run lengths lead out of a scanline");
}

TEST_CASE("An HDR that is cut or damaged is a failure, and bytes after it cause a warning") {
  const std::string whole = file_of("-Y 2 +X 8", std::string(run) + std::string(32, 'x'));
  CHECK(refused(whole) == "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(refused(whole.substr(0, size)) != "");
  }
  const std::vector<std::string> said = {"4 bytes after the picture are not kept"};
  CHECK(Decoded(bytes_of(whole + "tail"), hdr::codec).warnings == said);
  CHECK(Decoded(bytes_of(whole), hdr::codec).warnings.empty());
  for (const std::string_view size : {"-Y 0 +X 8", "-Y 2 +X 0", "-Y 2", "-Y 2 +Y 8", "-Y -2 +X 8",
                                      "-Y 2 +X 8 9", "-Y 99999999999999999999 +X 8", "2 8"}) {
    CAPTURE(size);
    CHECK(refused(file_of(size, std::string(64, 'x'))) ==
          "damaged: the size of the Radiance picture");
  }
  CHECK(refused(file_of("-Y 1000 +X 8", std::string(64, 'x'))) == "truncated after 0 of 1000 rows");
  CHECK(refused(file_of("-Y 1 +X 8", "\2\2\0\x09" + std::string(64, 'x'))) ==
        "damaged: run lengths lead out of a scanline");
  CHECK(refused(file_of("-Y 1 +X 8",
                        "\2\2\0\x08\x89"
                        "a" +
                            std::string(64, 'x'))) ==
        "damaged: run lengths lead out of a scanline");
}

TEST_CASE("Another format gets an HDR's floats, and none becomes an HDR") {
  const std::string file = file_of("-Y 1 +X 2",
                                   "\x80\x40\x01\x81"
                                   "\xff\xff\xff\0"sv);
  const Decoded decoded(bytes_of(file), hdr::codec, openexr::codec);
  const Page& page = decoded.image.pages[0];
  REQUIRE(page.channels == 3);
  REQUIRE(page.type == SampleFormat::f32);
  const auto* floats = static_cast<const float*>(page.pixels);
  CHECK(std::vector<float>(floats, floats + 6) ==
        std::vector<float>{1.0F, 0.5F, 0.0078125F, 0, 0, 0});
  CHECK_THROWS_AS(tests::encode(decoded.image, Orientation::identity, png::codec), ImageFileError);
  Image other = decoded.image;
  other.format = &openexr::codec;
  CHECK_THROWS_AS(tests::encode(other, Orientation::identity, hdr::codec), ImageFileError);
  std::string xyz = file;
  xyz.replace(xyz.find("rgbe"), 4, "xyze");
  CHECK(refusal(bytes_of(xyz), hdr::codec) == "");
  CHECK(refusal(bytes_of(xyz), hdr::codec, openexr::codec) ==
        "a Radiance picture of XYZ colours cannot become another format");
}

TEST_CASE("Lines of an HDR that a turn or another format makes untrue are named") {
  const std::string more =
      "#?RADIANCE\nEXPOSURE=2.5\nPIXASPECT=2\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n";
  const std::string file = more + "abcAdefD";
  const Decoded own(bytes_of(file), hdr::codec);
  std::vector<std::string> warnings;
  const std::atomic<bool> never = false;
  (void)qturn::encode(own.image, Orientation::rotate90, hdr::codec, never, warnings);
  CHECK(warnings == std::vector<std::string>{"its PIXASPECT stays, but is not turned"});
  warnings.clear();
  (void)qturn::encode(own.image, Orientation::flop, codec, never, warnings);
  std::string square = more;
  square.replace(square.find("PIXASPECT=2"), 11, "PIXASPECT=1.0");
  const Decoded of_squares(bytes_of(square + "abcAdefD"), codec);
  (void)qturn::encode(of_squares.image, Orientation::rotate90, codec, never, warnings);
  CHECK(warnings.empty());
  PixelArena arena;
  (void)hdr::codec.decode(bytes_of(file), Samples::for_another_format, arena, never, warnings);
  CHECK(warnings ==
        std::vector<std::string>{"its EXPOSURE is not kept, and readers of an HDR heed it"});
}

}  // namespace hdr_codec_test
