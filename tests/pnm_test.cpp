#include "src/formats/pnm.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "tests/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_view_literals::operator""sv;

constexpr Format pnm = Format::pnm;

std::string turn(std::string_view file, Orientation orientation) {
  return std::string(text_of(turn_file(bytes_of(file), pnm, orientation)));
}

std::string storage_change(std::string_view file) {
  return read_header(bytes_of(file), pnm).storage_change;
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
  CHECK_THAT(storage_change("P2\n1 1\n255\n7 "), ContainsSubstring("text"));
}

TEST_CASE("Other largest values are scaled to the full range, and it is said") {
  CHECK(turn("P5\n3 1\n3\n\0\1\3"sv, Orientation::identity) == "P5\n3 1\n255\n\0\x55\xff"sv);
  CHECK_THAT(storage_change("P5\n3 1\n3\n\0\1\3"sv), ContainsSubstring("up to 3"));
}

TEST_CASE("Floats keep their bits, from the bottom row up, in either byte order") {
  const auto little = "Pf\n1 2\n-1.0\nabcdefgh"sv;
  CHECK(turn(little, Orientation::identity) == little);
  CHECK(turn(little, Orientation::flip) == "Pf\n1 2\n-1.0\nefghabcd"sv);
  CHECK(turn("Pf\n1 2\n1.0\ndcbahgfe"sv, Orientation::identity) == little);
  CHECK(read_header(bytes_of(little), pnm).pixel_bytes_total == 8);
}

TEST_CASE("Several pictures in a file are refused, for only the first would be left") {
  for (const std::string_view several :
       {"P6\n1 1\n255\nabcP6\n1 1\n255\ndef"sv, "P5\n1 1\n255\na\n P7\nWIDTH 1\n"sv,
        "P4\n8 1\n\x81P4#\n8 1\n\x81"sv, "P2\n1 1\n255\n7\nP2\n1 1\n255\n8\n"sv,
        "P1\n3 1\n100\nP1\n3 1\n001"sv, "Pf\n1 1\n-1.0\nabcdPf\n1 1\n-1.0\nabcd"sv}) {
    INFO(several);
    CHECK(refusal(bytes_of(several), pnm) == "holds several pictures");
  }
}

TEST_CASE("Comments and bytes behind the pixels are not kept, and it is said") {
  using Warnings = std::vector<std::string>;
  const auto warnings = [](std::string_view file) { return Decoded(bytes_of(file), pnm).warnings; };
  CHECK(warnings("P5\n1 1\n255\nP6 xy"sv) == Warnings{"4 bytes behind the pixels are not kept"});
  CHECK(warnings("P5\n1 1\n255\na\n"sv) == Warnings{"1 bytes behind the pixels are not kept"});
  CHECK(warnings("P5\n# by a scanner\n1 1\n255\na"sv) == Warnings{"its comments are not kept"});
  CHECK(warnings("P2\n1 2\n255\n7 # seven\n8\n"sv) == Warnings{"its comments are not kept"});
  CHECK(warnings("P2\n1 1\n255\n7\n# end\n"sv) ==
        Warnings{"6 bytes behind the pixels are not kept"});
  for (const std::string_view whole :
       {"P5\n1 1\n255\n#"sv, "P2\n1 1\n255\n7\n\n"sv, "P1\n1 1\n1\n"sv, "P4\n9 1\n##"sv,
        "Pf\n1 1\n-1.0\n####"sv}) {
    INFO(whole);
    CHECK(warnings(whole).empty());
  }
}

TEST_CASE("Cut and damaged files are failures that say where") {
  CHECK(refusal(bytes_of("P5\n3 4\n255\nabcdefgh"), pnm) == "truncated after 2 of 4 rows");
  for (const std::string_view bad :
       {""sv, "P5"sv, "P5\n3"sv, "P5\n3 4\n255"sv, "P5\n0 4\n255\n"sv, "P5\n3 4\n70000\n"sv,
        "P5\nx 4\n255\nabc"sv, "P2\n2 2\n255\n1 2 3"sv, "P1\n2 2\n1 0 1"sv, "Pf\n1 1\nx\nabcd"sv,
        "P6\n999999999 999999999\n255\nabc"sv, "P4\n9 1\n\xff"sv}) {
    INFO(bad);
    CHECK(refusal(bytes_of(bad), pnm) != "");
    CHECK_THROWS_AS(turn(bad, Orientation::flip), ImageFileError);
  }
}
