#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "tests/fixtures/codec_pictures.hpp"

namespace pnm_codec_test {

namespace {

using namespace qturn;
using namespace qturn::pnm;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_view_literals::operator""sv;

std::string turn(std::string_view file, Orientation orientation) {
  return std::string(text_of(turn_file(bytes_of(file), codec, orientation)));
}

// What another format gets.
std::string shown(std::string_view file) {
  const Decoded decoded(bytes_of(file), codec, png::codec);
  return std::string(text_of(pixels_of(decoded.image.pages[0])));
}

std::string storage_change(std::string_view file) {
  return codec.read_header(bytes_of(file)).storage_change;
}

}  // namespace

TEST_CASE("Grey and colour of 8 bits turn byte by byte") {
  CHECK(turn("P5\n3 2\n255\nabcdef", Orientation::rotate90) == "P5\n2 3\n255\ndaebfc");
  CHECK(turn("P6\n2 1\n255\nabcdef", Orientation::flop) == "P6\n2 1\n255\ndefabc");
  CHECK(storage_change("P5\n3 2\n255\nabcdef").empty());
}

TEST_CASE("16 bits keep every value, also above 32767") {
  const auto file = "P5\n2 2\n65535\n\x01\x02\xff\xfe\x81\xc2\x80\x00"sv;
  CHECK(turn(file, Orientation::rotate180) == "P5\n2 2\n65535\n\x80\x00\x81\xc2\xff\xfe\x01\x02"sv);
}

TEST_CASE("Bitmaps stay bitmaps, and bits beyond a row are not part of it") {
  // 10 x 2: only the leftmost pixel of the first row and the rightmost of the second are black.
  const auto file = "P4\n10 2\n\x80\x3f\x00\x7f"sv;
  CHECK(turn(file, Orientation::rotate180) == "P4\n10 2\n\x80\x00\x00\x40"sv);
  CHECK(turn("P4\n8 1\n\x81"sv, Orientation::rotate90) == "P4\n1 8\n\x80\0\0\0\0\0\0\x80"sv);
  CHECK(storage_change(file).empty());
}

TEST_CASE("Text becomes binary, and says so") {
  CHECK(turn("P2 # comment\n2 1 255\n65 66\n", Orientation::flop) == "P5\n2 1\n255\nBA");
  CHECK(turn("P3\n1 1\n255\n65 66 67", Orientation::flop) == "P6\n1 1\n255\nABC");
  CHECK(turn("P1\n3 1\n1 00\n", Orientation::flop) == "P4\n3 1\n\x20"sv);
  CHECK(turn("P1\n2 1\n# 10\n0 1\n", Orientation::identity) == "P4\n2 1\n\x40"sv);
  CHECK(refusal(bytes_of("P1\n2 1\n2 x 0 1\n"), codec) == "damaged PNM number");
  CHECK_THAT(storage_change("P2\n1 1\n255\n7 "), ContainsSubstring("text"));
}

TEST_CASE("Other largest values stay, and are scaled and rounded for another format") {
  CHECK(turn("P5\n3 1\n3\n\0\1\3"sv, Orientation::flop) == "P5\n3 1\n3\n\3\1\0"sv);
  CHECK(turn("P6\n1 1\n300\n\0\1\1\0\1\x2c"sv, Orientation::flop) ==
        "P6\n1 1\n300\n\0\1\1\0\1\x2c"sv);
  CHECK(turn("P2\n2 1\n7\n5 6\n"sv, Orientation::flop) == "P5\n2 1\n7\n\6\5"sv);
  CHECK(storage_change("P5\n3 1\n3\n\0\1\3"sv).empty());
  // As netpbm rounds: 64 * 255 / 127 is 128.5, 1 * 255 / 127 is 2.008.
  CHECK(shown("P5\n4 1\n127\n\0\1\x40\x7f"sv) == "\0\2\x81\xff"sv);
  CHECK(shown("P5\n2 1\n1000\n\0\1\3\xe8"sv) == "\x42\0\xff\xff"sv);
}

TEST_CASE("A PAM keeps its channels, their meaning and their largest value") {
  const auto pam = [](int width, int height, int depth, int most, std::string_view type,
                      std::string_view samples) {
    return "P7\nWIDTH " + std::to_string(width) + "\nHEIGHT " + std::to_string(height) +
           "\nDEPTH " + std::to_string(depth) + "\nMAXVAL " + std::to_string(most) + "\n" +
           (type.empty() ? "" : "TUPLTYPE " + std::string(type) + "\n") + "ENDHDR\n" +
           std::string(samples);
  };
  CHECK(codec_of_content(bytes_of(pam(1, 1, 1, 1, "", "\1")), "") == &codec);
  CHECK(turn(pam(1, 2, 4, 255, "RGB_ALPHA", "abcdefgh"), Orientation::rotate90) ==
        pam(2, 1, 4, 255, "RGB_ALPHA", "efghabcd"));
  CHECK(turn(pam(2, 1, 1, 1, "BLACKANDWHITE", "\0\1"sv), Orientation::flop) ==
        pam(2, 1, 1, 1, "BLACKANDWHITE", "\1\0"sv));
  CHECK(turn(pam(2, 1, 5, 7, "", "\1\2\3\4\5\6\7\6\5\4"), Orientation::flop) ==
        pam(2, 1, 5, 7, "", "\6\7\6\5\4\1\2\3\4\5"));
  CHECK(turn(pam(2, 1, 1, 500, "GRAYSCALE", "\1\2\1\3"), Orientation::flop) ==
        pam(2, 1, 1, 500, "GRAYSCALE", "\1\3\1\2"));
  CHECK(turn("P7\n# made by hand\nDEPTH 1\nMAXVAL 9\nHEIGHT 1\nWIDTH 2\nENDHDR\n\1\2"sv,
             Orientation::flop) == pam(2, 1, 1, 9, "", "\2\1"));
  CHECK(turn("P7\nDEPTH 1\nMAXVAL 9\nHEIGHT 1\nWIDTH 2\nTUPLTYPE a\nTUPLTYPE b\nENDHDR \r\n\1\2"sv,
             Orientation::flop) == pam(2, 1, 1, 9, "a b", "\2\1"));
  CHECK(turn(pam(2, 1, 1, 9, "a b", "\1\2"), Orientation::flop) == pam(2, 1, 1, 9, "a b", "\2\1"));

  CHECK(shown(pam(1, 1, 2, 15, "GRAYSCALE_ALPHA", "\1\xf")) == "\x11\xff");
  const auto meaning = [&](int depth, std::string_view type) {
    const std::string file = pam(1, 1, depth, 255, type, "abcd");
    return *Decoded(bytes_of(file), codec, png::codec).image.extras->meaning;
  };
  CHECK(meaning(4, "RGB_ALPHA").alpha == Meaning::Alpha::unassociated);
  CHECK(meaning(4, "").alpha == Meaning::Alpha::unassociated);
  CHECK(meaning(3, "RGB").alpha == Meaning::Alpha::none);
  CHECK(meaning(4, "CMYK").refusal ==
        "a PAM with 4 channels of type CMYK cannot become another format");

  for (const std::string_view bad :
       {"P7\n"sv, "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\n"sv,
        "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 0\nMAXVAL 1\nENDHDR\n\1"sv,
        "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\n\1"sv,
        "P7\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR\n\1"sv,
        "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 257\nMAXVAL 1\nENDHDR\n\1"sv,
        "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nCOLOUR 1\nENDHDR\n\1"sv,
        "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 1\nENDHDR \1\n"sv,
        "P7\nWIDTH 2\nHEIGHT 2\nDEPTH 1\nMAXVAL 1\nENDHDR\n\1\1\1"sv}) {
    INFO(bad);
    CHECK(refusal(bytes_of(bad), codec) != "");
  }
}

TEST_CASE("A sample above the largest value is damage") {
  CHECK(refusal(bytes_of("P5\n3 1\n3\n\0\1\4"sv), codec) ==
        "damaged: a sample of 4 where 3 is the largest");
  CHECK(refusal(bytes_of("P5\n1 1\n300\n\1\x2d"sv), codec) ==
        "damaged: a sample of 301 where 300 is the largest");
  CHECK(refusal(bytes_of("P3\n1 1\n255\n65 256 67"sv), codec) ==
        "damaged: a sample of 256 where 255 is the largest");
}

TEST_CASE("Floats keep their bits, from the bottom row up, in either byte order") {
  const auto little = "Pf\n1 2\n-1.0\nabcdefgh"sv;
  CHECK(turn(little, Orientation::identity) == little);
  CHECK(turn(little, Orientation::flip) == "Pf\n1 2\n-1.0\nefghabcd"sv);
  const auto big = "Pf\n1 2\n2.50\ndcbahgfe"sv;
  CHECK(turn(big, Orientation::identity) == big);
  CHECK(turn(big, Orientation::flip) == "Pf\n1 2\n2.50\nhgfedcba"sv);
  CHECK(storage_change(big).empty());
  CHECK(shown(big) == "efghabcd");
  CHECK(Decoded(bytes_of(big), codec, openexr::codec).warnings ==
        std::vector<std::string>{"the scale of its floats (2.50) is not kept"});
  CHECK(Decoded(bytes_of(little), codec, openexr::codec).warnings.empty());
  CHECK(refusal(bytes_of("Pf\n1 1\n0\nabcd"sv), codec) == "damaged PFM scale");
  CHECK(codec.read_header(bytes_of(little)).pixel_bytes_total == 8);
}

TEST_CASE("Several pictures in a file are refused, for only the first would be left") {
  for (const std::string_view several :
       {"P6\n1 1\n255\nabcP6\n1 1\n255\ndef"sv, "P5\n1 1\n255\na\n P7\nWIDTH 1\n"sv,
        "P4\n8 1\n\x81P4#\n8 1\n\x81"sv, "P2\n1 1\n255\n7\nP2\n1 1\n255\n8\n"sv,
        "P1\n3 1\n100\nP1\n3 1\n001"sv, "Pf\n1 1\n-1.0\nabcdPf\n1 1\n-1.0\nabcd"sv}) {
    INFO(several);
    CHECK(refusal(bytes_of(several), codec) == "holds several pictures");
  }
}

TEST_CASE("Comments and bytes after the pixels are not kept, with a warning") {
  using Warnings = std::vector<std::string>;
  const auto warnings = [](std::string_view file) {
    return Decoded(bytes_of(file), codec).warnings;
  };
  CHECK(warnings("P5\n1 1\n255\nP6 xy"sv) == Warnings{"4 bytes after the pixels are not kept"});
  CHECK(warnings("P5\n1 1\n255\na\n"sv) == Warnings{"1 bytes after the pixels are not kept"});
  CHECK(warnings("P5\n# by a scanner\n1 1\n255\na"sv) == Warnings{"its comments are not kept"});
  CHECK(warnings("P2\n1 2\n255\n7 # seven\n8\n"sv) == Warnings{"its comments are not kept"});
  CHECK(warnings("P2\n1 1\n255\n7\n# end\n"sv) ==
        Warnings{"6 bytes after the pixels are not kept"});
  for (const std::string_view whole :
       {"P5\n1 1\n255\n#"sv, "P2\n1 1\n255\n7\n\n"sv, "P1\n1 1\n1\n"sv, "P4\n9 1\n##"sv,
        "Pf\n1 1\n-1.0\n####"sv}) {
    INFO(whole);
    CHECK(warnings(whole).empty());
  }
}

TEST_CASE("Cut and damaged files are failures that say where") {
  CHECK(refusal(bytes_of("P5\n3 4\n255\nabcdefgh"), codec) == "truncated after 2 of 4 rows");
  for (const std::string_view bad :
       {""sv, "P5"sv, "P5\n3"sv, "P5\n3 4\n255"sv, "P5\n0 4\n255\n"sv, "P5\n3 4\n70000\n"sv,
        "P5\nx 4\n255\nabc"sv, "P2\n2 2\n255\n1 2 3"sv, "P1\n2 2\n1 0 1"sv, "Pf\n1 1\nx\nabcd"sv,
        "P6\n999999999 999999999\n255\nabc"sv, "P4\n9 1\n\xff"sv}) {
    INFO(bad);
    CHECK(refusal(bytes_of(bad), codec) != "");
    CHECK_THROWS_AS(turn(bad, Orientation::flip), ImageFileError);
  }
}

}  // namespace pnm_codec_test
