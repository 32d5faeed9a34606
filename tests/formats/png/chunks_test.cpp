#include "src/formats/png/chunks.hpp"
#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"

namespace png_chunks_test {

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using std::string_view_literals::operator""sv;

std::string types_of(std::span<const std::byte> file) {
  std::string types;
  for (const PngChunk& part : png_chunks(file)) {
    types += part.type;
    types += ' ';
  }
  return types;
}

std::string_view chunk_data(std::span<const std::byte> file, std::string_view type) {
  for (const PngChunk& part : png_chunks(file)) {
    if (part.type == type) return text_of(part.data);
  }
  return "none";
}

std::string pixels_after(const std::string& file, Orientation orientation) {
  const Bytes out = turn_file(bytes_of(file), codec, orientation);
  const Decoded decoded(out, codec);
  return std::string(text_of(pixels_of(decoded.image.pages[0])));
}

}  // namespace

TEST_CASE("Other chunks go through byte for byte, in their places, and none is added") {
  const std::string file =
      make_png({.before = png_chunk("gAMA", in_big_endian(45455, 4)) +
                          png_chunk("tEXt", "Author\0A. Painter"sv) +
                          png_chunk("bKGD", "\0\x10"sv) + png_chunk("vpAg", "private"),
                .after = png_chunk("iTXt", "later\0\0\0\0\0text"sv)});
  const Bytes out = turn_file(bytes_of(file), codec, Orientation::rotate180);
  CHECK(types_of(out) == "IHDR gAMA tEXt bKGD vpAg IDAT iTXt IEND ");
  CHECK(chunk_data(out, "tEXt") == "Author\0A. Painter"sv);
  CHECK(chunk_data(out, "gAMA") == in_big_endian(45455, 4));
  CHECK(pixels_after(file, Orientation::rotate180) == "dcba");
  CHECK(types_of(turn_file(bytes_of(make_png({})), codec, Orientation::flip)) == "IHDR IDAT IEND ");
}

TEST_CASE("The orientation of eXIf is honoured and set to 1") {
  const Bytes exif = exif_with(Orientation::rotate90);
  const std::string file = make_png({.before = png_chunk("eXIf", text_of(exif))});
  CHECK(codec.read_header(bytes_of(file)).stored == Orientation::rotate90);
  const Bytes out = turn_file(bytes_of(file), codec, Orientation::rotate90);
  CHECK(codec.read_header(out).stored == Orientation::identity);
  CHECK(chunk_data(out, "eXIf") == text_of(exif_with(Orientation::identity)));

  std::vector<std::string> warnings;
  const Bytes retagged =
      retag(bytes_of(file), codec, Orientation::identity, MissingTag::stays_absent, warnings);
  CHECK(text_of(retagged) ==
        make_png({.before = png_chunk("eXIf", text_of(exif_with(Orientation::identity)))}));
}

TEST_CASE("Exif whose orientation cannot be known is a failure") {
  const std::string file =
      make_png({.before = png_chunk("eXIf", "MM\0*\0\0\0\x08\0\x40\x01\x0F\0\x02"sv)});
  CHECK_THAT(refusal(bytes_of(file), codec), ContainsSubstring("Exif"));
  CHECK_THROWS_AS(codec.read_header(bytes_of(file)), ImageFileError);
}

TEST_CASE("The density turns with the axes") {
  const std::string density = in_big_endian(1000, 4) + in_big_endian(2000, 4) + "\x01";
  const std::string file = make_png({.before = png_chunk("pHYs", density)});
  CHECK(chunk_data(turn_file(bytes_of(file), codec, Orientation::rotate90), "pHYs") ==
        in_big_endian(2000, 4) + in_big_endian(1000, 4) + "\x01");
  CHECK(chunk_data(turn_file(bytes_of(file), codec, Orientation::flip), "pHYs") == density);
}

TEST_CASE("What belongs to a palette or to a transparent colour stays byte for byte") {
  const std::string palette =
      make_png({.colour_type = 3,
                .rows = "\0\0\1\0\1\0"sv,
                .before = png_chunk("sBIT", "\5\6\5"sv) + png_chunk("PLTE", "RGBrgb") +
                          png_chunk("tRNS", "\x80"sv) + png_chunk("bKGD", "\1"sv) +
                          png_chunk("hIST", "\0\1\0\1"sv)});
  CHECK(codec.read_header(bytes_of(palette)).storage_change == "");
  CHECK(pixels_after(palette, Orientation::flop) == "\1\0\0\1"sv);
  const Bytes out = turn_file(bytes_of(palette), codec, Orientation::flop);
  CHECK(types_of(out) == "IHDR sBIT PLTE tRNS bKGD hIST IDAT IEND ");
  for (const char* type : {"sBIT", "PLTE", "tRNS", "bKGD", "hIST"}) {
    CHECK(chunk_data(out, type) == chunk_data(bytes_of(palette), type));
  }

  const std::string colour_key = make_png({.before = png_chunk("tRNS", "\0a"sv)});
  CHECK(codec.read_header(bytes_of(colour_key)).storage_change == "");
  CHECK(pixels_after(colour_key, Orientation::flop) == "badc");
  CHECK(chunk_data(turn_file(bytes_of(colour_key), codec, Orientation::flop), "tRNS") == "\0a"sv);
}

TEST_CASE("The size of a pixel as text turns with the axes") {
  const std::string file = make_png({.before = png_chunk("sCAL",
                                                         "\1"
                                                         "1.5\0"
                                                         "20"sv)});
  CHECK(chunk_data(turn_file(bytes_of(file), codec, Orientation::transverse), "sCAL") ==
        "\1"
        "20\0"
        "1.5"sv);
  CHECK(chunk_data(turn_file(bytes_of(file), codec, Orientation::flop), "sCAL") ==
        "\1"
        "1.5\0"
        "20"sv);
  const std::string one_number = make_png({.before = png_chunk("sCAL",
                                                               "\1"
                                                               "1.5"sv)});
  CHECK(chunk_data(turn_file(bytes_of(one_number), codec, Orientation::rotate90), "sCAL") ==
        "\1"
        "1.5"sv);
}

TEST_CASE(
    "A place on a page is kept if the page's size does not matter, otherwise there is a warning") {
  const std::string place = in_big_endian(5, 4) + in_big_endian(7, 4) + std::string(1, '\0');
  const std::string file = make_png({.before = png_chunk("oFFs", place)});
  const Decoded decoded(bytes_of(file), codec);
  const auto after = [&](Orientation orientation, std::vector<std::string>& warnings) {
    const std::atomic<bool> stop = false;
    const Bytes out = encode(decoded.image, orientation, codec, stop, warnings);
    return std::string(chunk_data(out, "oFFs"));
  };
  std::vector<std::string> warnings;
  CHECK(after(Orientation::identity, warnings) == place);
  CHECK(after(Orientation::transpose, warnings) ==
        in_big_endian(7, 4) + in_big_endian(5, 4) + std::string(1, '\0'));
  CHECK(warnings.empty());
  CHECK(after(Orientation::rotate90, warnings) == "none");
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("oFFs"));
}

TEST_CASE("Every cut and every changed byte of a chunk is a failure") {
  const std::string file = make_png({.before = png_chunk("tEXt", "Author\0A. Painter"sv)});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string message = refusal(bytes_of(file.substr(0, size)), codec);
    CHECK(message != "");
    if (size > 8) CHECK_THAT(message, StartsWith("truncated"));
  }
  std::string flipped = file;
  flipped[file.find("IDAT") + 6] ^= 1;
  CHECK(refusal(bytes_of(flipped), codec) == "damaged: wrong checksum of a PNG chunk (IDAT)");
  for (std::size_t at = 8; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] ^= 0x20;
    CHECK(refusal(bytes_of(changed), codec) != "");
  }
}

TEST_CASE("A PNG of an app for iPhones is called that, not damaged") {
  std::string file = make_png({});
  file.insert(8, png_chunk("CgBI", "\x50\0\x20\x06"sv));
  CHECK_THAT(refusal(bytes_of(file), codec), ContainsSubstring("an app for iPhones (CgBI)"));
  CHECK_THROWS_WITH(codec.read_damaged_header(bytes_of(file)), ContainsSubstring("(CgBI)"));
}

TEST_CASE("A stream that holds fewer rows than the header says is a failure") {
  CHECK(refusal(bytes_of(make_png({.height = 3})), codec) != "");
}

TEST_CASE("What follows the end is not an error, and the user is told") {
  const std::string file = make_png({}) + "more";
  const Decoded decoded(bytes_of(file), codec);
  REQUIRE(decoded.warnings.size() == 1);
  CHECK_THAT(decoded.warnings[0], ContainsSubstring("4 bytes after the end"));
  // It may look like a chunk of any length, as the head of a ZIP file does.
  const std::string zip = make_png({}) + "\x89PK\x03\x04 is no chunk";
  CHECK_NOTHROW(check_png_limits(bytes_of(zip), Limits{}));
  CHECK(refusal(bytes_of(zip), codec) == "");
}

TEST_CASE("The description of another format becomes chunks, and comes back") {
  std::vector<std::uint8_t> pixels = {1, 2, 3, 4};
  auto extras = std::make_shared<Extras>();
  const std::vector<std::uint8_t> profile = noise(70000);
  extras->metadata = {.icc = {},
                      .exif = exif_with(Orientation::identity),
                      .xmp = "<x:xmpmeta/>",
                      .comment = "a comment"};
  Image image = image_of(pixels, 2, 2, 1, jpeg::codec);
  image.extras = extras;
  const Bytes file = tests::encode(image, Orientation::identity, codec);
  CHECK(types_of(file) == "IHDR eXIf iTXt iTXt IDAT IEND ");
  const Decoded decoded(file, codec);
  CHECK(decoded.image.extras->metadata.exif == extras->metadata.exif);
  CHECK(decoded.image.extras->metadata.xmp == extras->metadata.xmp);
}

}  // namespace png_chunks_test
