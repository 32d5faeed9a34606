// The installed function: bytes in, bytes out, and what it says beforehand.
#include <qturn/pictures.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/check/check.hpp"
#include "src/turn/lane.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"

namespace turn_test {

namespace {

using namespace qturn;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Message;
using tests::bytes_of;
using tests::Decoded;
using tests::make_jpeg;
using tests::noise;
using tests::pixels_of;
using tests::small_png;

Turned turned_by(std::span<const std::byte> file, Orientation orientation,
                 const TurnOptions& options = {}) {
  return turn(file.data(), file.size(), orientation, options);
}

TurnPlan planned(std::span<const std::byte> file, Orientation orientation,
                 const TurnOptions& options = {}) {
  return plan_turn(file.data(), file.size(), orientation, options);
}

std::vector<std::byte> pixels_in(std::span<const std::byte> file, const Codec& codec) {
  return pixels_of(Decoded(file, codec, codec).image.pages.front());
}

}  // namespace

TEST_CASE("Every plan is what turning then does, for every orientation and stored orientation") {
  for (int stored = 1; stored <= 8; ++stored) {
    const Bytes file = small_png(static_cast<Orientation>(stored));
    for (int number = 1; number <= 8; ++number) {
      const auto orientation = static_cast<Orientation>(number);
      CAPTURE(stored, number);
      const TurnPlan plan = planned(file, orientation);
      const Turned turned = turned_by(file, orientation);
      CHECK(plan.format == "png");
      CHECK(plan.stored == static_cast<Orientation>(stored));
      CHECK(plan.refusal.empty());
      CHECK(plan.outcome.route == turned.outcome.route);
      CHECK(plan.outcome.applied == turned.outcome.applied);
      CHECK(plan.outcome.applied == compose(static_cast<Orientation>(stored), orientation));
      const Header after = png::codec.read_header(turned.bytes);
      CHECK(after.stored == Orientation::identity);
      CHECK(after.size() == plan.outcome.size);
      CHECK(turned.warnings.empty());
      // By way of another function: the pixels alone.
      Decoded source(file, png::codec);
      const Image wanted = tests::turned(source.image, plan.outcome.applied, source.arena);
      CHECK(pixels_in(turned.bytes, png::codec) == pixels_of(wanted.pages.front()));
    }
  }
}

TEST_CASE("An upright picture that is to be upright is the file that it was") {
  const Bytes file = small_png();
  const Turned turned = turned_by(file, Orientation::identity);
  CHECK(turned.outcome.route == Route::copied);
  CHECK(turned.bytes == file);
}

TEST_CASE("Only the tag changes where only the tag is wrong, and where that is asked for") {
  const Bytes file = small_png(Orientation::rotate90);
  const Turned upright = turned_by(file, Orientation::rotate270);
  CHECK(upright.outcome.route == Route::tagged);
  CHECK(upright.bytes.size() == file.size());

  const Turned tagged = turned_by(file, Orientation::flop, {.tag_only = true});
  CHECK(tagged.outcome.route == Route::tagged);
  CHECK(tagged.outcome.size == Size{6, 4});
  CHECK(png::codec.read_header(tagged.bytes).stored ==
        compose(Orientation::rotate90, Orientation::flop));
  CHECK(pixels_in(tagged.bytes, png::codec) == pixels_in(file, png::codec));
}

TEST_CASE("A JPEG goes the way that the options say, and loss is said beforehand") {
  const Bytes whole = make_jpeg({.width = 64, .height = 48});
  const Bytes cut = make_jpeg({.width = 61, .height = 45});
  CHECK(turned_by(whole, Orientation::rotate90).outcome.route == Route::lossless);
  CHECK(turned_by(whole, Orientation::rotate90).outcome.loss == Loss::none);
  CHECK(planned(whole, Orientation::rotate90, {.jpeg = {JpegMode::planar}}).outcome.loss ==
        Loss::asked_for);

  const Turned reencoded = turned_by(cut, Orientation::rotate180);
  CHECK(reencoded.outcome.route == Route::planar);
  CHECK(reencoded.outcome.loss == Loss::unasked);
  CHECK(reencoded.outcome.size == Size{61, 45});

  const Turned trimmed =
      turned_by(cut, Orientation::rotate180, {.jpeg = {.edges = JpegEdges::trim}});
  CHECK(trimmed.outcome.route == Route::trimmed);
  CHECK(jpeg::codec.read_header(trimmed.bytes).size() == trimmed.outcome.size);
  CHECK(trimmed.outcome.size == Size{56, 40});

  const Turned tagged = turned_by(cut, Orientation::rotate180, {.jpeg = {.edges = JpegEdges::tag}});
  CHECK(tagged.outcome.route == Route::tagged);
  CHECK(jpeg::codec.read_header(tagged.bytes).stored == Orientation::rotate180);

  const Turned skipped =
      turned_by(cut, Orientation::rotate180, {.jpeg = {.edges = JpegEdges::skip}});
  CHECK(skipped.outcome.route == Route::skipped);
  CHECK(skipped.bytes == cut);
  CHECK_THAT(skipped.outcome.message, ContainsSubstring("cannot be turned without loss"));

  const TurnOptions fail{.jpeg = {.edges = JpegEdges::fail}};
  CHECK(planned(cut, Orientation::rotate180, fail).refusal == skipped.outcome.message);
  CHECK_THROWS_MATCHES(turned_by(cut, Orientation::rotate180, fail), ImageFileError,
                       Message(skipped.outcome.message));
}

TEST_CASE("Another format takes the samples as they are, or refuses by name") {
  const Bytes file = small_png(Orientation::rotate90);
  const Turned tiff = turned_by(file, Orientation::identity, {.format = "tif"});
  CHECK(tiff.outcome.route == Route::reencoded);
  CHECK(tiff.outcome.loss == Loss::none);
  CHECK(tiff::codec.read_header(tiff.bytes).size() == Size{4, 6});
  CHECK(turned_by(file, Orientation::identity, {.format = "jpeg"}).outcome.loss == Loss::asked_for);
  CHECK_THROWS_AS(turned_by(file, Orientation::identity, {.format = "hdr"}), ImageFileError);
}

TEST_CASE("What is not an orientation, a format or a picture is refused") {
  const Bytes file = small_png();
  CHECK_THROWS_MATCHES(turned_by(file, static_cast<Orientation>(0)), std::invalid_argument,
                       Message("an orientation is 1 to 8, not 0"));
  CHECK_THROWS_AS(planned(file, static_cast<Orientation>(9)), std::invalid_argument);
  CHECK_THROWS_MATCHES(turned_by(file, Orientation::flip, {.format = "xcf"}), std::invalid_argument,
                       Message("'xcf' is not one of " + format_names(", ")));
  CHECK_THROWS_AS(turned_by({}, Orientation::flip), ImageFileError);
  CHECK_THROWS_AS(turned_by(bytes_of("some text"), Orientation::flip), ImageFileError);
}

TEST_CASE("Damage is an error even where no pixel moves") {
  const Bytes file = small_png();
  const std::span cut = std::span(file).first(file.size() - 30);
  CHECK_THROWS_AS(turned_by(cut, Orientation::identity), ImageFileError);
  CHECK_THROWS_AS(turned_by(cut, Orientation::rotate90), ImageFileError);
}

TEST_CASE("The suffix counts where the content cannot tell") {
  std::vector<std::uint8_t> samples = noise(72);
  const Bytes tga =
      tests::encode(tests::image_of(samples, 6, 4, 3), Orientation::identity, tga::codec);
  CHECK_THROWS_AS(planned(tga, Orientation::flip), ImageFileError);
  CHECK(planned(tga, Orientation::flip, {.suffix = ".TGA"}).format == "tga");

  const TurnPlan tagged = planned(tga, Orientation::flip, {.suffix = ".tga", .tag_only = true});
  CHECK(tagged.outcome.route == Route::none);
  CHECK_THAT(tagged.refusal, ContainsSubstring("tga has no place for an orientation"));
}

TEST_CASE("A lane that pictures share makes the same files, and keeps no more than it is told") {
  constexpr std::size_t plenty = std::size_t{1} << 20;
  const std::unique_ptr<Lane> lane = make_cpu_lane(2 * plenty);
  const Bytes png = small_png(Orientation::rotate90);
  const Bytes jpeg = make_jpeg({.width = 256, .height = 128});
  Bytes damaged = jpeg;
  damaged.resize(damaged.size() / 2);
  for (const std::size_t kept_bytes : {plenty, std::size_t{0}, plenty}) {
    for (const Bytes* file : {&png, &jpeg, &jpeg, &png}) {
      const Turned turned = turn_in(*lane, kept_bytes, *file, Orientation::transpose, {});
      CHECK(turned.bytes == turned_by(*file, Orientation::transpose).bytes);
      CHECK((lane->kept_bytes() > 0) == (kept_bytes > 0));
      CHECK(lane->kept_bytes() <= kept_bytes);
    }
    CHECK_THROWS_AS(turn_in(*lane, kept_bytes, damaged, Orientation::transpose, {}),
                    ImageFileError);
    CHECK(lane->kept_bytes() <= kept_bytes);
  }
}

TEST_CASE("Memory is told beforehand, and grows with the picture") {
  const std::uint64_t small =
      planned(make_jpeg({.width = 64, .height = 48}), Orientation::flip).memory_bytes;
  const std::uint64_t large =
      planned(make_jpeg({.width = 640, .height = 480}), Orientation::flip).memory_bytes;
  CHECK(small > 64 * 48 * 2);
  CHECK(large > small + 640 * 480);

  const Bytes file = make_jpeg({.width = 640, .height = 480});
  CHECK(planned(file, Orientation::flip, {.tag_only = true}).memory_bytes > file.size());
  const std::uint64_t as_png = planned(file, Orientation::flip, {.format = "png"}).memory_bytes;
  const std::uint64_t as_webp = planned(file, Orientation::flip, {.format = "webp"}).memory_bytes;
  CHECK(as_webp >= as_png + 36 * 640 * 480);
}

TEST_CASE("A fast PNG has the same pixels, and is larger") {
  std::vector<std::uint8_t> samples(3 * 300 * 200);  // a gradient, which compresses
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::uint8_t>(i / 7 + i % 900 * i % 31);
  const Bytes file = tests::encode(tests::image_of(samples, 300, 200, 3, tiff::codec),
                                   Orientation::identity, png::codec);
  const auto made = [&](PngMode mode) {
    return turned_by(file, Orientation::rotate90, {.png = mode}).bytes;
  };
  CHECK(made(PngMode::small) == turned_by(file, Orientation::rotate90).bytes);
  CHECK(made(PngMode::fast).size() > made(PngMode::small).size());
  CHECK(pixels_in(made(PngMode::fast), png::codec) == pixels_in(made(PngMode::small), png::codec));
}

TEST_CASE("A quality decides how much a JPEG or a WebP keeps that another format becomes") {
  const Bytes file = small_png();
  const auto made = [&](const char* format, std::optional<int> quality) {
    return turned_by(file, Orientation::rotate90, {.format = format, .quality = quality});
  };
  CHECK(made("jpeg", 95).bytes == made("jpeg", std::nullopt).bytes);
  CHECK(made("jpeg", 5).bytes.size() < made("jpeg", 100).bytes.size());
  CHECK(made("webp", std::nullopt).outcome.loss == Loss::none);
  CHECK(made("webp", 50).outcome.loss == Loss::asked_for);
  CHECK_THROWS_MATCHES(made("jpeg", 0), std::invalid_argument,
                       Message("a quality is 1 to 100, not 0"));
  for (const char* format : {"", "png"}) {
    CHECK_THROWS_MATCHES(made(format, 50), std::invalid_argument,
                         Message("a quality is for the formats jpeg and webp, which lose some"));
  }
}

TEST_CASE("A check in memory says what disagrees, and decodes unless it is to be quick") {
  Bytes file = small_png();
  CHECK(check_picture(file, "", false, Limits{}).empty());
  file.push_back(std::byte{1});
  const std::vector<std::string> findings{"1 bytes after the end of the PNG"};
  CHECK(check_picture(file, "", false, Limits{}) == findings);
  CHECK(check_picture(file, "", true, Limits{}) == findings);

  const Bytes damaged = make_jpeg({.width = 64, .height = 64});
  const std::span cut(damaged.data(), damaged.size() - damaged.size() / 4);
  CHECK_THROWS_AS(check_picture(cut, "", false, Limits{}), ImageFileError);
  CHECK(check_picture(cut, "", true, Limits{}).empty());
}

TEST_CASE("A picture in memory that is beyond a limit is refused with the limit that permits it") {
  const Bytes file = small_png();
  const auto wanted =
      Message("24 pixels, more than the limit of 23; the limit pixels=24 permits that");
  CHECK_THROWS_MATCHES(turned_by(file, Orientation::flip, {.limits = {.pixels = 23}}),
                       ImageFileError, wanted);
  CHECK_THROWS_MATCHES(check_picture(file, "", true, {.pixels = 23}), ImageFileError, wanted);
}

}  // namespace turn_test
