// JPEGs turned by their planes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/fixtures/jpeg_turns.hpp"

namespace jpeg_planar_test {

namespace {

using namespace qturn;
using namespace qturn::tests;

Bytes turn(const Bytes& file, Orientation orientation) {
  return tests::turn(file, orientation, by_planes);
}

}  // namespace

TEST_CASE("Aligned pictures keep their coefficients through planar re-encoding, chroma included") {
  struct Sampling {
    int h, v;
  };
  const auto sampling =
      GENERATE(Sampling{1, 1}, Sampling{2, 1}, Sampling{1, 2}, Sampling{2, 2}, Sampling{4, 1});
  const auto orientation = GENERATE(from_range(all_orientations));
  const Bytes file = make_jpeg({.width = 96, .height = 64, .h = sampling.h, .v = sampling.v});
  const JpegInside before = look_inside(file), after = look_inside(turn(file, orientation));
  check_turned(before, after, orientation, 200);
}

TEST_CASE("Blocks cut by an edge that stays where it is keep what is hidden in them") {
  const Bytes file = make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2});
  const JpegInside before = look_inside(file),
                   after = look_inside(turn(file, Orientation::transpose));
  for (std::size_t c = 0; c < 3; ++c) {
    const CoefficientCount count = compare_coefficients(before, after, Orientation::transpose, c);
    CHECK(count.different * 200 <= count.total);
  }
}

// What is compared with: decode to the full size, turn, and average the pixels that share a sample.
TEST_CASE("Where a cut group of pixels comes first, chroma is resampled as if at the full size") {
  struct Sampling {
    int h, v;
  };
  const auto sampling = GENERATE(Sampling{2, 1}, Sampling{1, 2}, Sampling{2, 2}, Sampling{4, 1},
                                 Sampling{1, 4}, Sampling{4, 2});
  const auto width = GENERATE(29, 30, 31, 32), height = GENERATE(21, 24);
  const auto orientation = GENERATE(from_range(turns));
  CAPTURE(sampling.h, sampling.v, width, height, name(orientation));
  const Bytes file = make_jpeg(
      {.width = width, .height = height, .h = sampling.h, .v = sampling.v, .quality = 100});
  const JpegPixels before = samples_in(file), after = samples_in(turn(file, orientation));
  const int step_x = swaps_axes(orientation) ? sampling.v : sampling.h;
  const int step_y = swaps_axes(orientation) ? sampling.h : sampling.v;
  int largest = 0;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < after.height; ++y) {
      for (int x = 0; x < after.width; ++x) {
        // The encoder repeats the last column and row.
        int sum = 0, count = 0;
        const int left = c == 0 ? x : x / step_x * step_x, top = c == 0 ? y : y / step_y * step_y;
        for (int v = top; v < top + (c == 0 ? 1 : step_y); ++v) {
          for (int u = left; u < left + (c == 0 ? 1 : step_x); ++u, ++count) {
            const Position from = source_of(
                orientation, {std::min(u, after.width - 1), std::min(v, after.height - 1)},
                {before.width, before.height});
            sum += before.at(from.x, from.y, c);
          }
        }
        largest = std::max(largest, std::abs(after.at(x, y, c) - (sum + count / 2) / count));
      }
    }
  }
  CHECK(largest <= 2);
}

TEST_CASE("4:2:2 becomes 4:4:0, with transposed tables and the same component numbers") {
  const Bytes file = make_jpeg({.width = 70, .height = 50, .h = 2, .quality = 71, .first_id = 0});
  const JpegInside before = look_inside(file),
                   after = look_inside(turn(file, Orientation::rotate90));
  CHECK(after.width == 50);
  CHECK(after.height == 70);
  CHECK(after.components[0].h == 1);
  CHECK(after.components[0].v == 2);
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(after.components[c].id == before.components[c].id);
    for (int v = 0; v < 8; ++v) {
      for (int u = 0; u < 8; ++u) {
        CHECK(after.components[c].table[v * 8 + u] == before.components[c].table[u * 8 + v]);
      }
    }
  }
  const JpegInside flipped = look_inside(turn(file, Orientation::flip));
  CHECK(flipped.components[0].table == before.components[0].table);
  CHECK(flipped.components[0].h == 2);
}

TEST_CASE("Grey, RGB, CMYK and YCCK stay what they are, by their planes") {
  const auto space = GENERATE(JCS_GRAYSCALE, JCS_RGB, JCS_CMYK, JCS_YCCK);
  const Bytes file = make_jpeg({.width = 37, .height = 23, .space = space, .quality = 100});
  const Bytes out = turn(file, Orientation::rotate180);
  const JpegInside inside = look_inside(out);
  CHECK(inside.space == space);
  CHECK(inside.markers.size() == look_inside(file).markers.size());
  const JpegPixels before = samples_in(file), after = samples_in(turn(out, Orientation::rotate180));
  REQUIRE(before.channels == component_count(space));
  for (std::size_t i = 0; i < before.values.size(); ++i) {
    REQUIRE(std::abs(before.values[i] - after.values[i]) <= 2);
  }
}

TEST_CASE("Progressive pictures are decoded and written whole, by their planes") {
  const Bytes sequential = make_jpeg({.width = 70, .height = 50, .h = 2, .v = 2});
  const Bytes progressive =
      make_jpeg({.width = 70, .height = 50, .h = 2, .v = 2, .progressive = true});
  const Orientation orientation = GENERATE(Orientation::rotate90, Orientation::flop);
  CHECK(samples_in(turn(sequential, orientation)).values ==
        samples_in(turn(progressive, orientation)).values);
}

TEST_CASE(
    "A re-encoded picture gets Huffman tables of its own, whatever those of the source were") {
  // Of the second, not all rows are counted.
  const int height = GENERATE(75, 1203);
  const JpegPicture picture = {.width = 93, .height = height, .h = 2, .v = 2};
  JpegPicture optimised = picture;
  optimised.optimised = true;
  JpegPicture progressive = picture;
  progressive.progressive = true;
  const Orientation orientation = GENERATE(Orientation::rotate90, Orientation::flop);
  const Bytes turned = turn(make_jpeg(picture), orientation);
  CHECK(turned == turn(make_jpeg(optimised), orientation));
  CHECK_FALSE(look_inside(turned).standard_huffman);
  CHECK(samples_in(turned).values == samples_in(turn(make_jpeg(progressive), orientation)).values);
}

TEST_CASE("One decoded picture is written in all orientations as if each were alone") {
  const Bytes file =
      make_jpeg({.width = 71, .height = 50, .h = 2, .v = 2, .progressive = GENERATE(false, true)});
  const std::atomic<bool> stop = false;
  PixelArena arena;
  std::vector<std::string> warnings;
  JpegTurn jpeg(file, by_planes);
  jpeg.read(all_orientations, arena, stop, warnings);
  for (const Orientation orientation : all_orientations) {
    if (orientation != Orientation::identity) {
      CHECK(Bytes(jpeg.turn(orientation, stop)) == turn(file, orientation));
    }
  }
}

TEST_CASE("A quantisation step of zero, by which nothing can be divided, is damage") {
  Bytes file = make_jpeg({});
  const std::size_t table = text_of(file).find("\xFF\xDB");
  file[table + 5 + 20] = std::byte{0};
  CHECK(refusal(file, by_planes) == "damaged: a quantisation step is zero");
  CHECK(refusal(file, by_coefficients) == "");
}

TEST_CASE("Steps that libjpeg's encoder cannot take are refused, and moved losslessly") {
  GreyBlocks picture{2, 2, {}, std::vector<std::array<JCOEF, 64>>(4), {}};
  picture.steps.fill(8191);
  CHECK(refusal(make_grey(picture), by_planes) == "");
  for (const int step : {8192, 9000, 16384, 65535}) {
    picture.steps[63] = static_cast<UINT16>(step);
    const Bytes file = make_grey(picture);
    CHECK_THAT(refusal(file, by_planes),
               Catch::Matchers::Equals("cannot be encoded again, because a quantisation step is " +
                                       std::to_string(step) + ", more than 8191"));
    CHECK(refusal(file, by_coefficients) == "");
  }
}

}  // namespace jpeg_planar_test
