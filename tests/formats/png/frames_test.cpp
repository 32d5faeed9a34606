// Animated PNGs: their frames are pictures of their own that ImageMagick makes and reads.
#include "src/formats/png/chunks.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace png_frames_test {

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

constexpr int width = 25, height = 14;
const std::vector<FramePlace> places = {{3, 1, 9, 6}, {20, 6, 5, 8}, {0, 13, 25, 1}};

void append_number(Bytes& to, std::int64_t value, std::size_t bytes = 4) {
  to.resize(to.size() + bytes);
  put_big_endian(to, to.size() - bytes, bytes, static_cast<std::uint64_t>(value));
}

Bytes control(std::int64_t number, const FramePlace& place, int seed) {
  Bytes data;
  for (const std::int64_t value : {number, place.width, place.height, place.x, place.y}) {
    append_number(data, value);
  }
  append_number(data, 10 + seed, 2);
  append_number(data, 100, 2);
  append_number(data, seed % 3, 1);
  append_number(data, seed % 2, 1);
  return data;
}

Pam pixels_of_frame(const FramePlace& place, std::uint32_t seed) {
  return noise_pam(static_cast<int>(place.width), static_cast<int>(place.height), 4, 255, seed);
}

// As an RGBA PNG of 8 bits.
Bytes alone(const Pam& pam, bool interlaced) {
  return made_by("convert pam:in -define png:color-type=6 -define png:bit-depth=8 " +
                     std::string(interlaced ? "-interlace PNG " : "") + "png:out",
                 write_pam(pam));
}

Bytes compressed(const Bytes& file) {
  Bytes data;
  for (const PngChunk& chunk : png_chunks(file)) {
    if (chunk.type == "IDAT") data.insert(data.end(), chunk.data.begin(), chunk.data.end());
  }
  return data;
}

struct Kind {
  bool picture_is_frame = true;
  bool interlaced = false;
};

// The pixels of each frame in two chunks, and a chunk between frames that nobody knows.
Bytes animated(const Kind& kind, const std::vector<FramePlace>& frames = places, int stated = -1) {
  const FramePlace whole{0, 0, width, height};
  const Bytes first = alone(pixels_of_frame(whole, 1), kind.interlaced);
  Bytes file(first.begin(), first.begin() + 8);
  append_png_chunk(file, "IHDR", find_chunk(png_chunks(first), "IHDR")->data);
  Bytes count;
  const int there = static_cast<int>(frames.size()) + (kind.picture_is_frame ? 1 : 0);
  append_number(count, stated < 0 ? there : stated);
  append_number(count, 7);
  append_png_chunk(file, "acTL", count);
  std::int64_t number = 0;
  if (kind.picture_is_frame) append_png_chunk(file, "fcTL", control(number++, whole, 1));
  append_png_chunk(file, "IDAT", compressed(first));
  int seed = 1;
  for (const FramePlace& place : frames) {
    append_png_chunk(file, "fcTL", control(number++, place, ++seed));
    const Bytes data = compressed(
        alone(pixels_of_frame(place, static_cast<std::uint32_t>(seed)), kind.interlaced));
    const std::span all(data);
    for (const auto part : {all.first(all.size() / 2), all.subspan(all.size() / 2)}) {
      Bytes numbered;
      append_number(numbered, number++);
      numbered.insert(numbered.end(), part.begin(), part.end());
      append_png_chunk(file, "fdAT", numbered);
    }
    append_png_chunk(file, "miNe", owned("kept"));
  }
  append_png_chunk(file, "IEND", {});
  return file;
}

// A frame of the animation as a PNG of its own.
Bytes frame_alone(const Bytes& file, const PngFrame& frame) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  Bytes header(chunks.front().data.begin(), chunks.front().data.end());
  put_big_endian(header, 0, 4, static_cast<std::uint64_t>(frame.place.width));
  put_big_endian(header, 4, 4, static_cast<std::uint64_t>(frame.place.height));
  Bytes made(file.begin(), file.begin() + 8);
  append_png_chunk(made, "IHDR", header);
  for (const PngChunk& part : frame.pixels) append_png_chunk(made, "IDAT", part.data);
  append_png_chunk(made, "IEND", {});
  return made;
}

std::vector<PngChunk> of_type(const Bytes& file, std::string_view type) {
  std::vector<PngChunk> found;
  for (const PngChunk& chunk : png_chunks(file)) {
    if (chunk.type == type) found.push_back(chunk);
  }
  return found;
}

}  // namespace

TEST_CASE("Every frame of an animated PNG is turned, with its place") {
  const Kind kind = GENERATE(Kind{true, false}, Kind{false, false}, Kind{true, true});
  const Bytes file = animated(kind);
  const Header header = codec.read_header(file);
  CHECK(header.size() == Size{width, height});
  CHECK(header.pages == 4);
  const Decoded decoded(file, codec);
  CHECK(decoded.warnings.empty());
  std::uint64_t bytes = 0;
  for (const Page& page : decoded.image.pages) bytes += page.bytes();
  CHECK(header.pixel_bytes_total == bytes);
  for (const Orientation each : all_orientations) {
    CAPTURE(each);
    const Bytes out = turn_file(file, codec, each);
    CHECK(shown_by_imagemagick(out, "png") ==
          turned(pixels_of_frame({0, 0, width, height}, 1), each));
    const std::vector<PngFrame> frames = png_frames(png_chunks(out));
    REQUIRE(frames.size() == places.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
      CHECK(frames[i].place == turned(places[i], each, {width, height}));
      const Pam source = pixels_of_frame(places[i], static_cast<std::uint32_t>(i + 2));
      CHECK(shown_by_imagemagick(frame_alone(out, frames[i]), "png") == turned(source, each));
    }
  }
}

TEST_CASE(
    "Delays, disposal, blending, repetitions and unknown chunks of an animated PNG are kept") {
  const Bytes file = animated({});
  const Bytes out = turn_file(file, codec, Orientation::rotate90);
  for (const std::string_view type : {"acTL", "miNe"}) {
    const auto before = of_type(file, type), after = of_type(out, type);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      CHECK(std::ranges::equal(after[i].data, before[i].data));
    }
  }
  const auto before = of_type(file, "fcTL"), after = of_type(out, "fcTL");
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(std::ranges::equal(after[i].data.subspan(20), before[i].data.subspan(20)));
  }
}

TEST_CASE("An animated PNG that is damaged or goes to another format is refused by name") {
  const Bytes file = animated({});
  CHECK(refusal(file, codec, tiff::codec) == "an animated PNG can only stay a PNG");
  CHECK(refusal(animated({}, {{17, 0, 9, 6}}), codec) ==
        "damaged: a frame of 9 x 6 pixels at 17, 0 in a PNG of 25 x 14");
  CHECK(refusal(animated({}, places, 5), codec) == "damaged: 4 frames in a PNG that says it has 5");
  // Without any one chunk there is a number missing, or a picture.
  const std::vector<PngChunk> chunks = png_chunks(file);
  for (std::size_t without = 0; without < chunks.size(); ++without) {
    const std::string_view type = chunks[without].type;
    if (type == "miNe" || type == "acTL") continue;
    CAPTURE(without, type);
    Bytes rest(file.begin(), file.begin() + 8);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (i != without) rest.insert(rest.end(), chunks[i].whole.begin(), chunks[i].whole.end());
    }
    CHECK(refusal(rest, codec) != "");
  }
  Limits limits;
  limits.directories = 3;
  CHECK_THROWS_WITH(codec.check_limits(file, limits),
                    ContainsSubstring("4 directories, more than the limit of 3"));
}

TEST_CASE("Frames in a PNG that is not animated are left out with a warning") {
  const Bytes file = animated({});
  Bytes still(file.begin(), file.begin() + 8);
  for (const PngChunk& chunk : png_chunks(file)) {
    if (chunk.type != "acTL") still.insert(still.end(), chunk.whole.begin(), chunk.whole.end());
  }
  CHECK(codec.read_header(still).pages == 1);
  std::vector<std::string> warnings = Decoded(still, codec).warnings;
  const Bytes out = turn_file(still, codec, Orientation::rotate90, warnings);
  CHECK(of_type(out, "fcTL").empty());
  CHECK(of_type(out, "fdAT").empty());
  CHECK(of_type(out, "miNe").size() == places.size());
  CHECK(warnings ==
        std::vector<std::string>{"frames of an animation that it does not announce are left out"});
}

}  // namespace png_frames_test
