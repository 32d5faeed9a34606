// tests/labels/npy_oracle.py compares with numpy.
#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "tests/fixtures/codec_pictures.hpp"

namespace npy_codec_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using std::string_literals::operator""s;

std::string array(const std::string& header, const std::string& values, char version = 1) {
  std::string length = {static_cast<char>(header.size()), '\0'};
  if (version > 1) length += "\0\0"s;
  return "\x93NUMPY"s + version + '\0' + length + header + values;
}

std::string of(const std::string& type, const std::string& shape, const std::string& values,
               const std::string& order = "False", char version = 1) {
  return array(
      "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }      \n",
      values, version);
}

std::string turn(const std::string& file, Orientation orientation) {
  return std::string(text_of(turn_file(bytes_of(file), npy::codec, orientation)));
}

std::string refused(const std::string& file) { return refusal(bytes_of(file), npy::codec); }

}  // namespace

TEST_CASE("Of an array the values turn, and the two numbers of its shape") {
  using enum Orientation;
  const std::string file = of("'<i2'", "(2, 3)", "aAbBcCdDeEfF");
  CHECK(codec_of_content(bytes_of(file), "") == &npy::codec);
  CHECK(turn(file, flop) == of("'<i2'", "(2, 3)", "cCbBaAfFeEdD"));
  CHECK(turn(file, rotate90) == of("'<i2'", "(3, 2)", "dDaAeEbBfFcC"));
  for (const char version : {2, 3})
    CHECK(turn(of("'|u1'", "(1, 12)", "abcdefghijkl", "False", version), transpose) ==
          of("'|u1'", "(12, 1)", "abcdefghijkl", "False", version));
}

TEST_CASE("A third axis belongs to the pixel, as do the fields of a value") {
  const std::string fields =
      "[('x', '|u1'), (('title', 'y'), '<i2', (1, 1,)), ('z', [('w', '|S1')])]";
  CHECK(turn(of("'|u1'", "(2, 1, 3)", "abcdef"), Orientation::transpose) ==
        of("'|u1'", "(1, 2, 3)", "abcdef"));
  CHECK(turn(of("'|u1'", "(2, 1, 3)", "abcdef"), Orientation::flip) ==
        of("'|u1'", "(2, 1, 3)", "defabc"));
  CHECK(turn(of(fields, "(2, 1)", "abcdefgh"), Orientation::flip) ==
        of(fields, "(2, 1)", "efghabcd"));
}

TEST_CASE("An array in Fortran's order stays in it") {
  // The rows abc and def.
  CHECK(turn(of("'|u1'", "(2, 3)", "adbecf", "True"), Orientation::flop) ==
        of("'|u1'", "(2, 3)", "cfbead", "True"));
  CHECK(turn(of("'|u1'", "(2, 3)", "adbecf", "True"), Orientation::rotate90) ==
        of("'|u1'", "(3, 2)", "defabc", "True"));
  CHECK(refused(of("'|u1'", "(1, 2, 3)", "abcdef", "True")).starts_with("its order is Fortran's"));
}

TEST_CASE("What is not rows and columns of values is refused by name") {
  CHECK(refused(of("'|u1'", "(6,)", "abcdef")).starts_with("its shape is (6), and arrays of 2"));
  CHECK(refused(of("'|u1'", "()", "a")).starts_with("its shape is ()"));
  CHECK(refused(of("'|u1'", "(1, 1, 1, 6)", "abcdef")).starts_with("its shape is (1, 1, 1, 6)"));
  CHECK(refused(of("'|u1'", "(3, 1, 6)", std::string(18, 'a'))) ==
        "its shape is (3, 1, 6), so the values of a pixel may come first; save it with the rows "
        "and columns first");
  CHECK(refused(of("'|O'", "(2, 3)", "abcdef")) == "an array of Python objects is not turned");
  CHECK(refused(of("[('x', '|O')]", "(2, 3)", "abcdef")).starts_with("an array of Python objects"));
  CHECK(refused(of("'<U65'", "(1, 1)", std::string(260, 'a'))) ==
        "an array whose pixels have more than 256 bytes is not turned");
  CHECK(refused(of("'<f8'", "(9, 9, 33)", "")).starts_with("an array whose pixels"));
  CHECK(refused(of("'|u1'", "(0, 3)", "")) == "an array without values");
  CHECK(refused(of("'|u1'", "(2, 3)", "abcdef", "False", 4)) ==
        "a NumPy array of an unknown version is not turned");
}

TEST_CASE("A damaged array is told") {
  CHECK(refused(of("'|u1'", "(2, 3)", "abcd")) == "truncated after 1 of 2 rows");
  CHECK(refused(of("'|u1'", "(2, 3)", "abcdefgh")) == "damaged: 2 bytes after the array");
  CHECK(refused(of("'|u1'", "(2, 9223372036854775807)", "")) == "truncated after 0 of 2 rows");
  CHECK(refused(of("'|u1'", "(9223372036854775807, 2)", "ab")) ==
        "truncated after 1 of 9223372036854775807 rows");
  const std::string whole = of("'|u1'", "(2, 3)", "abcdef");
  for (std::size_t bytes = 7; bytes + 7 < whole.size(); ++bytes)
    CHECK_FALSE(refused(whole.substr(0, bytes)).empty());
  for (const char* header :
       {"", "{", "{}", "{'descr': '|u1', 'fortran_order': False}",
        "{'descr': '|u1', 'shape': (1,)}", "{'descr': '|u1', 'fortran_order': no, 'shape': (2, 3)}",
        "{'descr': '|u', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|x1', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (-2, 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3) 4}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)} 4",
        "{'descr': '|V0', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 99999999999999999999)}"})
    CHECK((refused(array(header, "abcdef")) == "damaged NumPy header" ? "" : header) ==
          std::string());
}

TEST_CASE("Other formats get what they can hold, and none becomes an array") {
  const std::string pixels = "abcdefghijkl";
  const Decoded decoded(bytes_of(of("'<u2'", "(1, 2, 3)", pixels)), npy::codec, png::codec);
  const Page& page = decoded.image.pages[0];
  CHECK(page.channels == 3);
  CHECK(page.type == SampleFormat::u16);
  CHECK(text_of(pixels_of(page)) == pixels);
  CHECK(refusal(bytes_of(of("'>u2'", "(1, 2, 3)", pixels)), npy::codec, png::codec) ==
        "no other format takes the values of this array");
  CHECK(codec_of_name("npy") == nullptr);
}

}  // namespace npy_codec_test
