// The resolution of a picture that goes from one format to another.
#include "src/metadata/resolution.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <memory>
#include <vector>

#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/every_codec.hpp"
#include "tests/fixtures/metadata.hpp"

namespace resolution_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::WithinAbs;

const std::vector<const Codec*> formats = {&jpeg::codec, &png::codec, &tiff::codec, &bmp::codec};

Metadata with_resolution(Resolution resolution) {
  Metadata metadata;
  metadata.resolution = resolution;
  return metadata;
}

Resolution of_inch(double x, double y) { return {x / metres_per_inch, y / metres_per_inch}; }

Bytes file_with(const Codec& format, const Metadata& metadata) {
  auto extras = std::make_shared<Extras>();
  extras->metadata = metadata;
  std::vector<std::uint8_t> samples = noise(12);
  Image image = image_of(samples, 2, 2, 3, pnm::codec);
  image.extras = extras;
  return tests::encode(image, Orientation::identity, format);
}

// What another format than the file's own gets.
Metadata metadata_of(const Bytes& file, const Codec& format) {
  return Decoded(file, format, pnm::codec).image.extras->metadata;
}

}  // namespace

TEST_CASE("The resolution goes from each format to each other, and turns with the axes") {
  for (const Codec* from : formats) {
    for (const Codec* to : formats) {
      if (from == to) continue;
      INFO(from->name << " to " << to->name);
      for (const auto& [x, y] : {std::pair{300.0, 72.0}, {96.0, 96.0}, {1.0, 1200.0}}) {
        const Decoded decoded(file_with(*from, with_resolution(of_inch(x, y))), *from, *to);
        PixelArena arena;
        for (const Orientation each : all_orientations) {
          const Bytes out = tests::encode(turned(decoded.image, each, arena), each, *to);
          const auto got = metadata_of(out, *to).resolution;
          REQUIRE(got);
          const PixelsPerInch inch = pixels_per_inch(*got);
          CHECK(inch.x == (swaps_axes(each) ? y : x));
          CHECK(inch.y == (swaps_axes(each) ? x : y));
        }
      }
    }
  }
}

TEST_CASE("Pixels per centimetre that are not whole per inch stay what they are") {
  const Resolution of_centimetre{4000, 11800};
  for (const Codec* format : formats) {
    INFO(format->name);
    const auto got = metadata_of(file_with(*format, with_resolution(of_centimetre)), *format);
    REQUIRE(got.resolution);
    CHECK_THAT(got.resolution->x, WithinAbs(4000, 0.01));
    CHECK_THAT(got.resolution->y, WithinAbs(11800, 0.01));
  }
}

TEST_CASE("A resolution that is in the Exif block alone is found, and stays in a TIFF") {
  Metadata metadata;
  metadata.exif = owned(exif_fixture({}));
  const Bytes jpeg = file_with(jpeg::codec, metadata);
  const auto found = metadata_of(jpeg, jpeg::codec).resolution;
  REQUIRE(found);
  CHECK(pixels_per_inch(*found).x == 300);
  CHECK(pixels_per_inch(*found).y == 72);
  metadata.resolution = of_inch(10, 10);
  CHECK(pixels_per_inch(*metadata_of(file_with(tiff::codec, metadata), tiff::codec).resolution).x ==
        300);
}

TEST_CASE("What is not a resolution is left out") {
  CHECK_FALSE(resolution_in(0, 72, metres_per_inch));
  CHECK_FALSE(resolution_in(72, -1, metres_per_inch));
  CHECK_FALSE(resolution_in(1e12, 1e12, metres_per_inch));
  for (const Codec* format : formats) {
    CHECK_FALSE(metadata_of(file_with(*format, {}), *format).resolution);
  }
}

}  // namespace resolution_test
