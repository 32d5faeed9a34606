#include "src/formats/table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "src/picture/bytes.hpp"
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

std::string number(std::uint64_t value) { return exr_number(value); }

std::string attribute(const std::string& name, const std::string& type, const std::string& value) {
  return exr_attribute(name, type, value);
}

std::string window(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom) {
  std::string value;
  for (const std::int64_t each : {left, top, right, bottom}) {
    value += number(static_cast<std::uint64_t>(each));
  }
  return value;
}

std::size_t table_at(std::span<const std::byte> file) {
  const std::string last = attribute("screenWindowWidth", "float", number(0x3F800000));
  return text_of(file).find(last) + last.size() + 1;
}

Exr any_samples(int columns, int rows, std::uint32_t seed) {
  Exr exr{columns, rows, 1, {}, {{"Z", 2}, {"id", 0}}};
  for (const char* name : {"A", "B", "G", "R", "Z", "id"}) {
    for (int i = 0; i < columns * rows; ++i) exr.planes[name].push_back(0x3800 + 7 * seed++);
  }
  return exr;
}

// A row to a block.
Bytes picture(const std::string& attributes) {
  Exr exr{width, height, 1, {}};
  for (std::uint32_t i = 0; i < width * height; ++i) exr.planes["Y"].push_back(0x3C00 + i);
  return write_exr({ExrPart{.levels = {exr}, .attributes = attributes}});
}

// Of a picture of 5 x 4 pixels.
ExrPart mip_map(bool is_rounded_up, const std::string& attributes = "") {
  ExrPart part{.levels = {any_samples(width, height, 1)},
               .tile_width = 3,
               .tile_height = 2,
               .level_mode = is_rounded_up ? 0x11 : 1,
               .attributes = attributes};
  if (is_rounded_up) part.levels.push_back(any_samples(3, 2, 2));
  part.levels.push_back(any_samples(2, is_rounded_up ? 1 : 2, 3));
  part.levels.push_back(any_samples(1, 1, 4));
  return part;
}

// Rows, tiles, tiles with smaller copies.
std::vector<ExrPart> several_parts() {
  const auto says = [](const std::string& name, const std::string& view) {
    return attribute("name", "string", name) + attribute("view", "string", view) +
           attribute("own", "of a type nobody knows", "only " + name);
  };
  return {{.levels = {any_samples(width, height, 10)}, .attributes = says("beauty", "left")},
          {.levels = {any_samples(7, 3, 20)},
           .tile_width = 4,
           .tile_height = 2,
           .attributes = says("depth", "right")},
          mip_map(true, says("texture", "right"))};
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

TEST_CASE("Each part of an OpenEXR file turns, of rows or of tiles, with what it says of itself") {
  const std::vector<ExrPart> parts = several_parts();
  const Bytes file = write_exr(parts);
  const Header header = codec.read_header(file);
  CHECK(header.pages == 6);
  CHECK(header.pixels_total == 20 + 21 + 20 + 6 + 2 + 1);
  CHECK(header.size() == Size{width, height});
  for (const Orientation each : all_orientations) {
    CAPTURE(each);
    const Bytes out = turn_file(file, codec, each);
    const std::vector<ExrPart> wanted = tests::turned(parts, each);
    CHECK((read_exr(out, wanted) == wanted));
    std::size_t at = 0;
    for (const ExrPart& part : wanted) {
      std::size_t blocks = 0;
      for_each_block(part, [&](auto&&...) { ++blocks; });
      for (const std::string& says :
           {part.attributes, attribute("chunkCount", "int", number(blocks))}) {
        at = text_of(out).find(says, at);
        CHECK(at != std::string_view::npos);
      }
    }
    CHECK(turn_file(out, codec, inverse(each)) ==
          turn_file(turn_file(file, codec, Orientation::identity), codec, Orientation::identity));
  }
  CHECK(refusal(file, codec, tiff::codec) ==
        "an OpenEXR file of several parts cannot become another format");
}

TEST_CASE("The smaller copies in an OpenEXR file turn as they are, rounded up or down") {
  for (const bool is_rounded_up : {false, true}) {
    // OpenImageIO says that a face of a cube is displayed.
    const ExrPart part = mip_map(is_rounded_up, attribute("envmap", "envmap", "\1"));
    const Bytes file = write_exr({part});
    for (const Orientation each : all_orientations) {
      CAPTURE(is_rounded_up, each);
      const Bytes out = turn_file(file, codec, each);
      const std::vector<ExrPart> wanted = tests::turned({part}, each);
      CHECK((read_exr(out, wanted) == wanted));
      const Size size = turned_size(each, {width, height});
      const std::string whole = window(0, 0, size.width - 1, size.height - 1);
      CHECK(contains(out, attribute("dataWindow", "box2i", whole)));
      CHECK(contains(out, attribute("displayWindow", "box2i", whole)));
      CHECK(contains(out,
                     attribute("tiles", "tiledesc",
                               number(swaps_axes(each) ? 2 : 3) + number(swaps_axes(each) ? 3 : 2) +
                                   (is_rounded_up ? '\x11' : '\1'))));
    }
    ExrPart floats = part;
    for (Exr& level : floats.levels) level.planes.erase("id");
    const Decoded decoded(write_exr({floats}), codec, tiff::codec);
    CHECK(decoded.image.pages.size() == 1);
    CHECK(decoded.warnings == std::vector{"its smaller copies (mip map) are left out"s});
  }
  // An environment map that has none is not taken for one that should.
  ExrPart single = mip_map(false, attribute("envmap", "envmap", "\1"));
  single.levels.resize(1);
  single.level_mode = 0;
  const std::vector<ExrPart> wanted = tests::turned({single}, Orientation::rotate90);
  CHECK((read_exr(turn_file(write_exr({single}), codec, Orientation::rotate90), wanted) == wanted));
}

TEST_CASE("The windows of each part turn in the display window that they share") {
  std::vector<ExrPart> parts = several_parts();
  Bytes file = write_exr(parts);
  const auto put = [&](const std::string& name, const std::string& old_value,
                       const std::string& value) {
    const std::size_t at = text_of(file).find(attribute(name, "box2i", old_value));
    REQUIRE(at != std::string_view::npos);
    const std::string now = attribute(name, "box2i", value);
    std::ranges::copy(bytes_of(now), file.begin() + static_cast<std::ptrdiff_t>(at));
  };
  const std::string display = window(-1, 2, 18, 11);
  for (int part = 0; part < 3; ++part) put("displayWindow", window(0, 0, 4, 3), display);
  // Of tiles, whose blocks do not say where the window begins.
  put("dataWindow", window(0, 0, 6, 2), window(10, 8, 16, 10));
  const Bytes out = turn_file(file, codec, Orientation::rotate90);
  // Clockwise, the left gap (11) comes to the top, the bottom gap (1) to the left.
  CHECK(contains(out, attribute("dataWindow", "box2i", window(2 + 1, -1 + 11, 5, 16))));
  CHECK(contains(out, attribute("displayWindow", "box2i", window(2, -1, 11, 18))));
}

TEST_CASE("What is not turned of an OpenEXR file is refused by name, in any of its parts") {
  std::vector<ExrPart> parts = several_parts();
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string file(text_of(write_exr(parts)));
    const std::size_t at = file.rfind(from);
    REQUIRE(at != std::string::npos);
    const Bytes changed = owned(file.replace(at, from.size(), to));
    CHECK_THROWS_AS(codec.read_header(changed), ImageFileError);
    return refusal(changed, codec);
  };
  const auto channel = [](int columns, int rows) {
    return "B\0"s + number(1) + number(0) + number(static_cast<std::uint64_t>(columns)) +
           number(static_cast<std::uint64_t>(rows));
  };
  CHECK(refused(channel(1, 1), channel(2, 2)) ==
        "subsampled channels are not supported: B has a sample for 2 x 2 pixels");
  CHECK(refused(number(3) + number(2) + '\x11', number(3) + number(2) + '\x02') ==
        "copies that are narrower or lower (rip map) are not supported");
  CHECK(refused(attribute("type", "string", "scanlineimage"),
                attribute("type", "string", "deepscanline") +
                    attribute("version", "int", number(1))) == "deep pixels are not supported");
  CHECK(refused("dataWindow", "dataWindov") == "damaged: the OpenEXR header");
  for (ExrPart& part : parts) {
    part.attributes += attribute("Orientation", "int", number(6));
    const bool is_last = &part == &parts.back();
    CHECK(refusal(write_exr(parts), codec) ==
          (is_last ? "" : "its parts are stored in different orientations"));
  }
  CHECK(codec.read_header(write_exr(parts)).stored == Orientation::rotate90);
}

TEST_CASE("Directions in the world that an OpenEXR file states do not turn") {
  const auto placed = [](const std::string& name, const std::string& type,
                         const std::string& value) {
    const Header header = codec.read_header(picture(attribute(name, type, value)));
    return header.placed.empty() ? "" : header.placed.front().name;
  };
  CHECK(placed("envmap", "envmap", "\1") == "its environment map");
  CHECK(placed("worldToCamera", "m44f", std::string(64, '\0')) == "its camera (worldToCamera)");
  CHECK(placed("worldToNDC", "m44f", std::string(64, '\0')) == "its camera (worldToNDC)");
  CHECK(placed("comments", "string", "a world") == "");
  CHECK(placed("sensorCenterOffset", "v2f", "12345678") == "its sensor (sensorCenterOffset)");
}

TEST_CASE("Attributes of an OpenEXR file that nobody knows are named") {
  using Names = std::vector<std::string>;
  const auto unknown = [](const std::string& name, const std::string& value) {
    return codec.read_header(picture(attribute(name, "string", value))).unknown;
  };
  CHECK(codec.read_header(picture("")).unknown == Names());
  CHECK(unknown("regions", "0 0 5 5") == Names{"OpenEXR regions"});
  CHECK(unknown("regions", "") == Names());
  for (const char* known : {"owner", "nuke/version", "Exif:FNumber", "cryptomatte/a/manifest"})
    CHECK(unknown(known, "text") == Names());
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
  // Blocks of fewer columns, and one that the file does not hold to its end.
  Bytes file = whole;
  const std::string size = number(2 * width);
  const std::size_t at = text_of(file).rfind(size + "\x0F\x3C"s);
  REQUIRE(at != std::string_view::npos);
  put_little_endian(file, at, 4, 2 * width - 2);
  CHECK(refusal(file, openexr::codec) == "damaged: 38 of 40 bytes of pixels are there");
  put_little_endian(file, at, 4, 2 * width + 2);
  CHECK(refusal(file, openexr::codec) == "truncated: 3 of 4 blocks of pixels are there");
  // The last block of the last part.
  const std::vector<ExrPart> parts = several_parts();
  file = write_exr(parts);
  std::size_t blocks = 0;
  for (const ExrPart& part : parts) for_each_block(part, [&](auto&&...) { ++blocks; });
  const std::size_t table = text_of(file).rfind("screenWindowWidth") + 18 + 6 + 4 + 4 + 2;
  put_little_endian(file, table + 8 * (blocks - 1), 8, 0);
  CHECK(refusal(file, openexr::codec) == "truncated: " + std::to_string(blocks - 1) + " of " +
                                             std::to_string(blocks) +
                                             " blocks of pixels are there");
}

}  // namespace openexr_codec_test
