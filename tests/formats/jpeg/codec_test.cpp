#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "src/formats/jpeg/codec.hpp"
#include "src/formats/table.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"

namespace jpeg_codec_test {

namespace {

using namespace qturn;
using namespace qturn::jpeg;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_view_literals::operator""sv;

}  // namespace

TEST_CASE("For another format a JPEG is decoded to grey or RGB, and CMYK is refused") {
  const Decoded grey(make_jpeg({.space = JCS_GRAYSCALE}), codec, png::codec);
  CHECK(grey.image.pages[0].channels == 1);
  const Decoded colour(make_jpeg({}), codec, png::codec);
  const auto* pixel = static_cast<const std::uint8_t*>(colour.image.pages[0].pixels);
  const int y = jpeg_sample(0, 0, 0), cb = jpeg_sample(0, 0, 1) - 128,
            cr = jpeg_sample(0, 0, 2) - 128;
  CHECK(std::abs(pixel[0] - (y + 1.402 * cr)) < 6);
  CHECK(std::abs(pixel[2] - (y + 1.772 * cb)) < 6);
  CHECK_THAT(refusal(make_jpeg({.space = JCS_CMYK}), codec, png::codec), ContainsSubstring("CMYK"));
  CHECK_THAT(refusal(make_jpeg({.space = JCS_YCCK}), codec, tiff::codec),
             ContainsSubstring("CMYK"));
}

TEST_CASE("A picture from another format is written at 4:4:4 with its profile, Exif and comment") {
  std::vector<std::uint8_t> pixels = noise(3 * 20 * 10);
  auto extras = std::make_shared<Extras>();
  extras->metadata = {.icc = owned("a profile"),
                      .exif = exif_with(Orientation::identity),
                      .xmp = "<x:xmpmeta/>",
                      .comment = "a comment"};
  Image image = image_of(pixels, 20, 10, 3);
  image.extras = extras;
  const Bytes file = tests::encode(image, Orientation::identity, codec);
  const JpegInside inside = look_inside(file);
  CHECK(inside.components[0].h == 1);
  CHECK(inside.components[0].v == 1);
  const Decoded again(file, codec, png::codec);
  const Metadata& metadata = again.image.extras->metadata;
  CHECK(metadata.icc == extras->metadata.icc);
  CHECK(metadata.exif == extras->metadata.exif);
  CHECK(metadata.xmp == extras->metadata.xmp);
  CHECK(metadata.comment == extras->metadata.comment);
}

TEST_CASE("What a JPEG cannot hold is refused by name") {
  std::vector<std::uint8_t> pixels(64 * 8);
  Image image = image_of(pixels, 4, 4, 4);
  const auto message = [&] {
    return thrown_by([&] { tests::encode(image, Orientation::identity, codec); });
  };
  CHECK(message() == "4 channels with alpha cannot be kept in jpeg");
  image.pages[0].channels = 3;
  image.pages[0].type = SampleFormat::u16;
  CHECK(message() == "samples of type uint16 cannot be kept in jpeg");
  image.pages[0].type = SampleFormat::u8;
  image.pages.push_back(image.pages[0]);
  CHECK_THAT(message(), ContainsSubstring("2 pages"));
}

TEST_CASE("Reading and writing stop when asked to") {
  CHECK(stops(make_jpeg({.progressive = GENERATE(false, true)}), codec));
}

TEST_CASE("Exif whose orientation cannot be known is a failure") {
  const Bytes file = make_jpeg(
      {.markers = {{JPEG_APP0 + 1, owned("Exif\0\0MM\0*\0\0\0\x08\0\x40\x01\x0F\0\x02"sv)}}});
  CHECK(refusal(file, codec) == "the Exif block is damaged where its orientation would be");
  CHECK_THROWS_AS(codec.read_header(file), ImageFileError);
  std::vector<std::string> warnings;
  CHECK_THROWS_AS(retag(file, codec, Orientation::identity, MissingTag::stays_absent, warnings),
                  ImageFileError);
}

TEST_CASE("The header tells sizes before anything is decoded") {
  const Header plain = codec.read_header(make_jpeg({.width = 70, .height = 50, .h = 2, .v = 2}));
  CHECK(plain.width == 70);
  CHECK(plain.height == 50);
  CHECK(plain.pages == 1);
  CHECK(plain.stored == Orientation::identity);
  CHECK(plain.pixel_bytes_total == 70 * 50 * 3);
  CHECK(plain.storage_change.empty());
  // For another format, a progressive one needs its coefficients too: 10 x 8 luma blocks and twice
  // 5 x 4 chroma blocks of 128 bytes.
  const Bytes file = make_jpeg({.width = 70, .height = 50, .h = 2, .v = 2, .progressive = true});
  CHECK(codec.read_header(file).decoding_bytes >= plain.decoding_bytes + 120 * 128);
}

}  // namespace jpeg_codec_test
