#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

#include "src/jpeg/codec.hpp"
#include "tests/codec_pictures.hpp"
#include "tests/jpeg_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_view_literals::operator""sv;

constexpr Format jpeg = Format::jpeg;

Bytes turn(const Bytes& file, Orientation orientation) {
  return turn_file(file, jpeg, orientation);
}

Bytes cut(const Bytes& file, std::size_t size) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

// Where the payload of the first frame header (SOF) begins.
std::size_t frame_at(const Bytes& file) {
  for (std::size_t at = 2; at + 4 < file.size();) {
    const auto marker = std::to_integer<int>(file[at + 1]);
    if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4) return at + 4;
    at += 2 + std::to_integer<std::size_t>(file[at + 2]) * 256 +
          std::to_integer<std::size_t>(file[at + 3]);
  }
  FAIL("no frame header");
  return 0;
}

// The coefficients that `block` would have after the orientation: a mirrored axis changes the sign
// of its odd frequencies.
std::array<JCOEF, 64> turned_block(const std::array<JCOEF, 64>& block, Orientation orientation) {
  const bool swapped = swaps_axes(orientation);
  const Position corner = source_of(orientation, {0, 0}, {2, 2});
  const bool from_right = corner.x == 1, from_bottom = corner.y == 1;
  std::array<JCOEF, 64> result;
  for (int v = 0; v < 8; ++v) {
    for (int u = 0; u < 8; ++u) {
      const int source_u = swapped ? v : u, source_v = swapped ? u : v;
      const bool negative = (from_right && source_u % 2 == 1) != (from_bottom && source_v % 2 == 1);
      const JCOEF value = block[source_v * 8 + source_u];
      result[v * 8 + u] = static_cast<JCOEF>(negative ? -value : value);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("Aligned pictures keep their coefficients through planar re-encoding, chroma included") {
  struct Sampling {
    int h, v;
  };
  const auto sampling =
      GENERATE(Sampling{1, 1}, Sampling{2, 1}, Sampling{1, 2}, Sampling{2, 2}, Sampling{4, 1});
  const auto orientation =
      GENERATE(values({Orientation::identity, Orientation::flop, Orientation::rotate180,
                       Orientation::flip, Orientation::transpose, Orientation::rotate90,
                       Orientation::transverse, Orientation::rotate270}));
  const Bytes file = make_jpeg({.width = 96, .height = 64, .h = sampling.h, .v = sampling.v});
  const JpegInside before = look_inside(file), after = look_inside(turn(file, orientation));
  const bool swapped = swaps_axes(orientation);
  REQUIRE(after.width == (swapped ? before.height : before.width));
  for (std::size_t c = 0; c < 3; ++c) {
    const JpegComponent &was = before.components[c], &is = after.components[c];
    CHECK(is.h == (swapped ? was.v : was.h));
    CHECK(is.v == (swapped ? was.h : was.v));
    REQUIRE(is.blocks.size() == was.blocks.size());
    int different = 0, total = 0;
    for (int y = 0; y < is.blocks_high; ++y) {
      for (int x = 0; x < is.blocks_wide; ++x) {
        const Position from = source_of(orientation, {x, y}, {was.blocks_wide, was.blocks_high});
        const auto wanted = turned_block(
            was.blocks[static_cast<std::size_t>(from.y * was.blocks_wide + from.x)], orientation);
        const auto& got = is.blocks[static_cast<std::size_t>(y * is.blocks_wide + x)];
        for (std::size_t k = 0; k < 64; ++k) {
          ++total;
          if (got[k] == wanted[k]) continue;
          ++different;
          CHECK(std::abs(got[k] - wanted[k]) <= 1);
        }
      }
    }
    INFO("component " << c << ": " << different << " of " << total << " coefficients differ");
    CHECK(different * 200 <= total);
  }
}

TEST_CASE("Where an odd edge comes first, chroma is the average of its two neighbours") {
  // 4:2:2, width 15: eight chroma samples a row, the last for one pixel only.
  const Bytes file = make_jpeg({.width = 15, .height = 8, .h = 2, .quality = 100});
  Decoded before(file, jpeg);
  const Bytes flopped = turn(file, Orientation::flop);
  Decoded after(flopped, jpeg);
  const auto* was = static_cast<const std::uint8_t*>(before.image.pages[0].pixels);
  const auto* is = static_cast<const std::uint8_t*>(after.image.pages[0].pixels);
  for (int chroma = 1; chroma <= 2; ++chroma) {
    for (int x = 0; x + 1 < 15; x += 2) {
      const int average = (was[(14 - x) * 3 + chroma] + was[(13 - x) * 3 + chroma]) / 2;
      CHECK(std::abs(is[x * 3 + chroma] - average) <= 2);
    }
  }
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

TEST_CASE(
    "The kind of coding stays: scans, Huffman tables, restarts; progressive becomes baseline") {
  const JpegInside standard = look_inside(turn(make_jpeg({}), Orientation::rotate90));
  CHECK(standard.standard_huffman);
  CHECK(standard.restart_interval == 0);
  // Optimised tables are taken over, with codes for what the source had no need of.
  const Bytes optimised = turn(make_jpeg({.optimised = true}), Orientation::rotate90);
  CHECK_FALSE(look_inside(optimised).standard_huffman);
  CHECK(optimised.size() < turn(make_jpeg({}), Orientation::rotate90).size());
  const JpegInside progressive =
      look_inside(turn(make_jpeg({.h = 2, .v = 2, .progressive = true}), Orientation::rotate90));
  CHECK_FALSE(progressive.progressive);
  CHECK(look_inside(turn(make_jpeg({.one_scan_each = true}), Orientation::rotate90)).scans == 3);
  // 64 x 48 at 1x1: 8 blocks a row. Two whole rows stay two rows, three blocks stay three.
  CHECK(look_inside(turn(make_jpeg({.restart_interval = 16}), Orientation::rotate90))
            .restart_interval == 12);
  CHECK(look_inside(turn(make_jpeg({.restart_interval = 3}), Orientation::rotate90))
            .restart_interval == 3);
}

TEST_CASE("Every marker is written back in order, byte for byte but for the orientation") {
  const Bytes exif = exif_with(Orientation::rotate90);
  Bytes app1 = owned("Exif\0\0"sv);
  app1.insert(app1.end(), exif.begin(), exif.end());
  const std::vector<JpegMarker> markers = {
      {JPEG_APP0 + 1, app1},
      {JPEG_COM, owned("a comment with \0 inside"sv)},
      {JPEG_APP0 + 1, owned("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>"sv)},
      {JPEG_APP0 + 2, owned("ICC_PROFILE\0\x01\x01profile"sv)},
      {JPEG_APP0 + 2, owned("MPF\0whatever"sv)},
      {JPEG_APP0 + 13, owned("Photoshop 3.0\0"sv)},
      {JPEG_COM, owned("")},
  };
  const Bytes file = make_jpeg({.markers = markers});
  CHECK(read_header(file, jpeg).stored == Orientation::rotate90);

  const JpegInside before = look_inside(file),
                   after = look_inside(turn(file, Orientation::rotate90));
  REQUIRE(after.markers.size() == before.markers.size());
  for (std::size_t i = 0; i < after.markers.size(); ++i) {
    CHECK(after.markers[i].code == before.markers[i].code);
    if (before.markers[i].data != app1) {
      CHECK(after.markers[i].data == before.markers[i].data);
      continue;
    }
    Bytes upright = app1;
    upright[6 + 31] = std::byte{1};
    CHECK(after.markers[i].data == upright);
  }

  const std::optional<Bytes> retagged = retag_upright(file, jpeg);
  REQUIRE(retagged);
  REQUIRE(retagged->size() == file.size());
  CHECK(read_header(*retagged, jpeg).stored == Orientation::identity);
  int different = 0;
  for (std::size_t i = 0; i < file.size(); ++i) different += (*retagged)[i] != file[i];
  CHECK(different == 1);
}

TEST_CASE("Grey, RGB, CMYK and YCCK stay what they are") {
  const auto space = GENERATE(JCS_GRAYSCALE, JCS_RGB, JCS_CMYK, JCS_YCCK);
  const Bytes file = make_jpeg({.space = space, .quality = 100});
  Decoded before(file, jpeg);
  REQUIRE(before.image.pages[0].channels == component_count(space));
  const Bytes out = turn(file, Orientation::rotate180);
  const JpegInside inside = look_inside(out);
  CHECK(inside.space == space);
  CHECK(inside.markers.size() == look_inside(file).markers.size());
  Decoded after(turn(out, Orientation::rotate180), jpeg);
  const auto a = pixels_of(before.image.pages[0]), b = pixels_of(after.image.pages[0]);
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(std::abs(std::to_integer<int>(a[i]) - std::to_integer<int>(b[i])) <= 1);
  }
}

TEST_CASE("A cut at any twentieth of a JPEG is a failure, and so is the loss of its last byte") {
  const auto picture = GENERATE(values<JpegPicture>({
      {.width = 96, .height = 80, .h = 2, .v = 2},
      {.width = 96, .height = 80, .h = 2, .v = 2, .progressive = true},
      {.width = 96, .height = 80, .one_scan_each = true},
      {.width = 96, .height = 80, .space = JCS_GRAYSCALE, .restart_interval = 4},
  }));
  const Bytes file = make_jpeg(picture);
  for (const Format target : {Format::jpeg, Format::png}) {
    for (std::size_t i = 0; i < 20; ++i) {
      CHECK(refusal(cut(file, file.size() * i / 20), jpeg, target) != "");
    }
    CHECK(refusal(cut(file, file.size() - 1), jpeg, target) != "");
    CHECK(refusal(file, jpeg, target) == "");
  }
}

TEST_CASE("The message says how much of a cut JPEG is there") {
  const Bytes file = make_jpeg({.width = 200, .height = 320});
  CHECK_THAT(refusal(cut(file, file.size() / 2), jpeg), ContainsSubstring("truncated after 1"));
  CHECK_THAT(refusal(cut(file, file.size() / 2), jpeg), ContainsSubstring("of 320 rows"));
  const Bytes progressive = make_jpeg({.width = 200, .height = 320, .progressive = true});
  CHECK_THAT(refusal(cut(progressive, progressive.size() / 2), jpeg),
             ContainsSubstring("of 320 rows of scan "));
  CHECK(refusal(cut(file, 100), jpeg) == "truncated before the picture begins");
}

TEST_CASE("A progressive JPEG cut after a scan and ended properly lacks its last scans") {
  Bytes file = make_jpeg({.width = 96, .height = 80, .progressive = true});
  std::vector<std::size_t> scans;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && file[i + 1] == std::byte{0xDA}) scans.push_back(i);
  }
  REQUIRE(scans.size() > 3);
  // Tables come before a scan: the cut is where they begin.
  for (std::size_t scan = 1; scan < scans.size(); ++scan) {
    std::size_t at = scans[scan];
    while (!(file[at] == std::byte{0xFF} && file[at + 1] == std::byte{0xC4})) --at;
    Bytes ended = cut(file, at);
    ended.push_back(std::byte{0xFF});
    ended.push_back(std::byte{0xD9});
    CHECK(refusal(ended, jpeg) != "");
  }
}

TEST_CASE("A sequential JPEG without the scan of a component is a failure") {
  Bytes file = make_jpeg({.one_scan_each = true});
  std::size_t last = 0;
  for (std::size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && file[i + 1] == std::byte{0xDA}) last = i;
  }
  file.resize(last);
  file.push_back(std::byte{0xFF});
  file.push_back(std::byte{0xD9});
  CHECK(refusal(file, jpeg) == "component 3 of 3 is missing");
}

TEST_CASE("Damage that libjpeg only warns of is a failure") {
  Bytes file = make_jpeg({.width = 200, .height = 200, .restart_interval = 10});
  // A restart marker of the wrong number.
  for (std::size_t i = file.size() / 2; i + 1 < file.size(); ++i) {
    if (file[i] == std::byte{0xFF} && file[i + 1] >= std::byte{0xD0} &&
        file[i + 1] <= std::byte{0xD7}) {
      file[i + 1] ^= std::byte{5};
      break;
    }
  }
  CHECK_THAT(refusal(file, jpeg), ContainsSubstring("damaged after"));
}

TEST_CASE("Kinds of JPEG that are not supported are refused by name") {
  const Bytes file = make_jpeg({.h = 2, .v = 2});
  const std::size_t frame = frame_at(file);
  const auto with = [&](std::size_t at, int value) {
    Bytes changed = file;
    changed[at] = static_cast<std::byte>(value);
    return changed;
  };
  CHECK_THAT(refusal(with(frame, 12), jpeg), ContainsSubstring("12-bit"));
  CHECK_THAT(refusal(with(frame - 3, 0xC9), jpeg), ContainsSubstring("arithmetic"));
  CHECK_THAT(refusal(with(frame - 3, 0xC3), jpeg), ContainsSubstring("lossless"));
  CHECK_THAT(refusal(with(frame - 3, 0xC5), jpeg), ContainsSubstring("hierarchical"));
  // Luma 2x2, second component 3x1: not a whole fraction of the largest.
  CHECK_THAT(refusal(with(frame + 10, 0x31), jpeg), ContainsSubstring("fraction"));
  Bytes huge = file;
  for (const std::size_t i : {1, 3}) huge[frame + i] = std::byte{0xF0};
  CHECK_THAT(refusal(huge, jpeg), ContainsSubstring("cannot be in a file of"));
  CHECK(refusal(owned("this is text and no picture"), jpeg) == "is no JPEG");
  CHECK(refusal({}, jpeg) != "");
  for (const Bytes& bad : {with(frame, 12), huge}) {
    CHECK_THROWS_AS(read_header(bad, jpeg), ImageFileError);
  }
}

TEST_CASE("A JPEG of hundreds of scans is refused") {
  JpegPicture picture{.space = JCS_GRAYSCALE, .progressive = false};
  picture.scans.push_back({1, {0}, 0, 0, 0, 0});
  for (int k = 1; k < 64; ++k) {
    picture.scans.push_back({1, {0}, k, k, 0, 3});
    for (int low = 2; low >= 0; --low) picture.scans.push_back({1, {0}, k, k, low + 1, low});
  }
  CHECK_THAT(refusal(make_jpeg(picture), jpeg), ContainsSubstring("scans"));
}

TEST_CASE("Exif whose orientation cannot be known is a failure") {
  const Bytes file = make_jpeg(
      {.markers = {{JPEG_APP0 + 1, owned("Exif\0\0MM\0*\0\0\0\x08\0\x40\x01\x0F\0\x02"sv)}}});
  CHECK_THAT(refusal(file, jpeg), ContainsSubstring("Exif"));
  CHECK_THROWS_AS(read_header(file, jpeg), ImageFileError);
  CHECK_FALSE(retag_upright(file, jpeg).has_value());
}

TEST_CASE("Bytes after the end are not an error, and the user is told") {
  Bytes file = make_jpeg({});
  file.resize(file.size() + 100);
  CHECK(Decoded(file, jpeg).warnings.empty());
  file.back() = std::byte{1};
  const Decoded decoded(file, jpeg);
  REQUIRE(decoded.warnings.size() == 1);
  CHECK_THAT(decoded.warnings[0], ContainsSubstring("100 bytes after the end"));
}

TEST_CASE("The header tells sizes before anything is decoded") {
  const Header plain = read_header(make_jpeg({.width = 70, .height = 50, .h = 2, .v = 2}), jpeg);
  CHECK(plain.width == 70);
  CHECK(plain.height == 50);
  CHECK(plain.pages == 1);
  CHECK(plain.stored == Orientation::identity);
  CHECK(plain.pixel_bytes_total == 70 * 50 * 3);
  CHECK(plain.storage_change.empty());
  // Coefficients: 10 x 8 luma blocks and twice 5 x 4 chroma blocks of 128 bytes.
  const Bytes file = make_jpeg({.width = 70, .height = 50, .h = 2, .v = 2, .progressive = true});
  const Header progressive = read_header(file, jpeg);
  CHECK(progressive.working_bytes >= 120 * 128 + file.size());
  CHECK(progressive.working_bytes > plain.working_bytes);
}

TEST_CASE("For another format a JPEG is decoded to grey or RGB, and CMYK is refused") {
  const Decoded grey(make_jpeg({.space = JCS_GRAYSCALE}), jpeg, Format::png);
  CHECK(grey.image.pages[0].channels == 1);
  const Decoded colour(make_jpeg({}), jpeg, Format::png);
  const auto* pixel = static_cast<const std::uint8_t*>(colour.image.pages[0].pixels);
  const int y = jpeg_sample(0, 0, 0), cb = jpeg_sample(0, 0, 1) - 128,
            cr = jpeg_sample(0, 0, 2) - 128;
  CHECK(std::abs(pixel[0] - (y + 1.402 * cr)) < 6);
  CHECK(std::abs(pixel[2] - (y + 1.772 * cb)) < 6);
  CHECK_THAT(refusal(make_jpeg({.space = JCS_CMYK}), jpeg, Format::png), ContainsSubstring("CMYK"));
  CHECK_THAT(refusal(make_jpeg({.space = JCS_YCCK}), jpeg, Format::tiff),
             ContainsSubstring("CMYK"));
}

TEST_CASE("A picture that was no JPEG is written at 4:4:4 with its profile, Exif and comment") {
  std::vector<std::uint8_t> pixels = noise(3 * 20 * 10);
  auto extras = std::make_shared<Extras>();
  extras->metadata = {.icc = owned("a profile"),
                      .exif = exif_with(Orientation::identity),
                      .xmp = "<x:xmpmeta/>",
                      .comment = "a comment"};
  Image image{.format = Format::png, .pages = {}, .extras = extras};
  image.pages.push_back({.pixels = pixels.data(), .width = 20, .height = 10, .channels = 3});
  const Bytes file = tests::encode(image, Orientation::identity, jpeg);
  const JpegInside inside = look_inside(file);
  CHECK(inside.components[0].h == 1);
  CHECK(inside.components[0].v == 1);
  const Decoded again(file, jpeg, Format::png);
  const Metadata& metadata = again.image.extras->metadata;
  CHECK(metadata.icc == extras->metadata.icc);
  CHECK(metadata.exif == extras->metadata.exif);
  CHECK(metadata.xmp == extras->metadata.xmp);
  CHECK(metadata.comment == extras->metadata.comment);
}

TEST_CASE("What a JPEG cannot hold is refused by name") {
  std::vector<std::uint8_t> pixels(64 * 8);
  Image image{.format = Format::png, .pages = {}, .extras = {}};
  image.pages.push_back({.pixels = pixels.data(), .width = 4, .height = 4, .channels = 4});
  const auto message = [&] {
    try {
      tests::encode(image, Orientation::identity, jpeg);
    } catch (const ImageFileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(message(), ContainsSubstring("transparency"));
  image.pages[0].channels = 3;
  image.pages[0].type = SampleFormat::u16;
  CHECK_THAT(message(), ContainsSubstring("8-bit"));
  image.pages[0].type = SampleFormat::u8;
  image.pages.push_back(image.pages[0]);
  CHECK_THAT(message(), ContainsSubstring("2 pages"));
}

TEST_CASE("Reading and writing stop when asked to") {
  const Bytes file = make_jpeg({.progressive = GENERATE(false, true)});
  PixelArena arena;
  std::vector<std::string> warnings;
  const std::atomic<bool> stop = true;
  CHECK_THROWS_AS(decode(file, jpeg, jpeg, arena, stop, warnings), Interrupted);
  const Decoded decoded(file, jpeg);
  CHECK_THROWS_AS(encode(decoded.image, Orientation::identity, jpeg, stop, warnings), Interrupted);
}

TEST_CASE("The same input gives the same bytes") {
  const Bytes file = make_jpeg({.width = 71, .height = 53, .h = 2, .v = 2, .optimised = true});
  CHECK(turn(file, Orientation::rotate90) == turn(file, Orientation::rotate90));
}
