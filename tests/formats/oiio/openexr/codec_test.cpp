#include "src/formats/oiio/openexr/codec.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "src/picture/endian.hpp"
#include "src/picture/file_limits.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/exr_file.hpp"

namespace openexr_codec_test {

namespace {

using namespace qturn;
using namespace qturn::openexr;
using namespace qturn::tests;
using std::string_literals::operator""s;

constexpr int width = 5, height = 4;

std::string number(std::uint64_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> 8 * i & 255);
  return text;
}

std::string attribute(const std::string& name, const std::string& type, const std::string& value) {
  return name + '\0' + type + '\0' + number(value.size()) + value;
}

std::size_t table_at(std::span<const std::byte> file) {
  const std::string last = attribute("screenWindowWidth", "float", number(0x3F800000));
  return text_of(file).find(last) + last.size() + 1;
}

// A row to a block; `attributes` come last in the header.
Bytes picture(const std::string& attributes) {
  Exr exr{width, height, 1, {}};
  for (std::uint32_t i = 0; i < width * height; ++i) exr.planes["Y"].push_back(0x3C00 + i);
  Bytes file = write_exr(exr);
  const std::size_t table = table_at(file);
  for (std::size_t row = 0; row < height; ++row) {
    const std::uint64_t at = little_endian(file, table + 8 * row, 8);
    put_little_endian(file, table + 8 * row, 8, at + attributes.size());
  }
  const auto text = bytes_of(attributes);
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(table) - 1, text.begin(), text.end());
  return file;
}

std::vector<std::uint16_t> samples(std::span<const std::byte> file) {
  const Decoded decoded(file, openexr::codec);
  const Page& page = decoded.image.pages.front();
  const auto* first = static_cast<const std::uint16_t*>(page.pixels);
  return {first, first + page.width * page.height};
}

}  // namespace

TEST_CASE("The preview of an OpenEXR file turns with it, attributes of any type are kept") {
  const std::string named = attribute("a name of more than thirty-one characters",
                                      "of a type nobody knows", "any\1bytes");
  const auto preview = [](std::uint64_t columns, std::uint64_t rows, const std::string& pixels) {
    return attribute("preview", "preview", number(columns) + number(rows) + pixels);
  };
  Bytes file = picture(named + preview(2, 3, "AAAABBBBCCCCDDDDEEEEFFFF"));
  file[5] |= std::byte{4};  // long names
  const Bytes out = turn_file(file, openexr::codec, Orientation::rotate90);
  CHECK(contains(out, preview(3, 2, "EEEECCCCAAAAFFFFDDDDBBBB")));
  CHECK(contains(out, named));
  CHECK(contains(turn_file(out, openexr::codec, Orientation::rotate270),
                 preview(2, 3, "AAAABBBBCCCCDDDDEEEEFFFF")));
  CHECK(samples(turn_file(out, openexr::codec, Orientation::rotate270)) == samples(file));
  CHECK(contains(turn_file(picture(preview(0, 0, "")), openexr::codec, Orientation::flip),
                 preview(0, 0, "")));
  for (const std::string& damaged : {preview(2, 3, "AAAA"), preview(0xFFFFFFFF, 0xFFFFFFFF, "AAAA"),
                                     attribute("preview", "preview", "abc")}) {
    CHECK_THROWS_AS(turn_file(picture(damaged), openexr::codec, Orientation::flip), ImageFileError);
  }
}

TEST_CASE(
    "Channels of an OpenEXR file stay each in its own type, as OpenEXR's program reads them") {
  Exr exr{width, height, 1, {}, {{"Z", 2}, {"id", 0}}};
  for (std::uint32_t i = 0; i < width * height; ++i) {
    for (const char* half : {"R", "G", "B", "A"}) exr.planes[half].push_back(0x3800 + 7 * i);
    exr.planes["Z"].push_back(0x3F800001 + 11 * i);
    exr.planes["id"].push_back(0xFFFFFF00 + i);
  }
  const Bytes file = write_exr(exr);
  for (const Orientation each : all_orientations) {
    const Bytes out = turn_file(file, codec, each);
    CHECK((read_exr(out, tests::turned(exr, each)) == tests::turned(exr, each)));
  }
  CHECK(refusal(file, codec, tiff::codec) ==
        "channels of integers and of floats cannot become another format");

  // Another format gets floats.
  exr.planes.erase("id");
  exr.other_types.erase("id");
  const Bytes floats = write_exr(exr);
  CHECK(refusal(floats, codec, tiff::codec) == "");
  const Decoded decoded(floats, codec, tiff::codec);
  const Page& page = decoded.image.pages.front();
  CHECK(page.type == SampleFormat::f32);
  CHECK(page.channels == 5);
  const auto* samples = static_cast<const float*>(page.pixels);
  CHECK(samples[0] == 0.5F);  // 0x3800
  std::uint32_t depth = 0;
  std::memcpy(&depth, samples + 4, sizeof depth);
  CHECK(depth == 0x3F800001);
}

TEST_CASE("What an OpenEXR file says of its blocks stays, and is true of the turned ones") {
  const std::string type = attribute("type", "string", "scanlineimage");
  const Bytes file = picture(attribute("chunkCount", "int", number(height)) + type);
  const Bytes out = turn_file(file, codec, Orientation::rotate90);
  CHECK(contains(out, attribute("chunkCount", "int", number(width))));
  CHECK(contains(out, type));
  CHECK(samples(turn_file(out, codec, Orientation::rotate270)) == samples(file));
}

TEST_CASE("The attributes of an OpenEXR file are under the limits of metadata, and take memory") {
  const Bytes plain = picture("");
  std::string many;
  for (int i = 0; i < 100; ++i) many += attribute("a" + std::to_string(i), "string", "text");
  const Bytes file = picture(many),
              large = picture(attribute("a", "string", std::string(5000, 'a')));
  CHECK_NOTHROW(openexr::codec.check_limits(file, {.metadata_count = 110}));
  CHECK_THROWS_AS(openexr::codec.check_limits(file, {.metadata_count = 100}), LimitError);
  CHECK_NOTHROW(openexr::codec.check_limits(large, {.metadata_bytes = 6000}));
  CHECK_THROWS_AS(openexr::codec.check_limits(large, {.metadata_bytes = 5000}), LimitError);
  std::string too_many;
  for (int i = 0; i < 10'000; ++i) too_many += attribute("a", "int", "text");
  CHECK_THROWS_AS(openexr::codec.check_limits(picture(too_many), unlimited), ImageFileError);
  for (std::size_t size = 4; size < file.size(); ++size) {
    CHECK_NOTHROW(openexr::codec.check_limits(std::span(file).first(size), {}));
  }
  const Header before = openexr::codec.read_header(plain),
               after = openexr::codec.read_header(large);
  CHECK(after.decoding_bytes >= before.decoding_bytes + 2 * 5000);
  CHECK(after.encoding_bytes >= before.encoding_bytes + 2 * 5000);
}

TEST_CASE("An OpenEXR file with a block of pixels that is not there is damaged") {
  const Bytes whole = picture("");
  CHECK(refusal(whole, openexr::codec) == "");
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{12}, std::uint64_t{99999}}) {
    Bytes file = whole;
    put_little_endian(file, table_at(file) + 8, 8, at);
    CHECK(refusal(file, openexr::codec) != "");
    CHECK_THROWS_AS(openexr::codec.read_header(file), ImageFileError);
  }
}

}  // namespace openexr_codec_test
