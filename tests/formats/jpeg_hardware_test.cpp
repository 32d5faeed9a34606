// Which JPEGs a GPU may decode, and the files made of what it gives back.
#include "src/formats/jpeg/hardware/hardware.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <random>

#include "tests/formats/jpeg_turns.hpp"
#include "tests/jpeg_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;

const std::atomic<bool> never{false};

bool is_taken(const Bytes& file) { return HardwareJpeg::of(file, never).has_value(); }

/// Where the entropy-coded data of a file with one scan begins.
std::size_t data_at(const Bytes& file) {
  for (std::size_t at = 2;;) {
    const bool scan = file[at + 1] == std::byte{0xDA};
    at += 2 + std::to_integer<std::size_t>(file[at + 2]) * 256 +
          std::to_integer<std::size_t>(file[at + 3]);
    if (scan) return at;
  }
}

/// Whether libjpeg reads all of it without complaint.
bool is_read(const Bytes& file) {
  try {
    PixelArena arena;
    std::vector<std::string> warnings;
    JpegPlanes planes(file, arena, never, warnings);
    return true;
  } catch (const ImageFileError&) {
    return false;
  }
}

tests::JpegMarker marker(int code, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {code, Bytes(bytes.begin(), bytes.end())};
}

}  // namespace

TEST_CASE("What cameras write is taken, in each sampling, and with Huffman tables of its own") {
  const auto h = GENERATE(1, 2), v = GENERATE(1, 2);
  const auto optimised = GENERATE(false, true);
  CHECK(is_taken(make_jpeg({.width = 97, .height = 75, .h = h, .v = v, .optimised = optimised})));
  CHECK(is_taken(make_jpeg({.width = 64, .height = 64, .h = h, .v = v, .quality = 100})));
}

TEST_CASE("What a GPU's decoder does not know is not taken") {
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .progressive = true})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .one_scan_each = true})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .restart_interval = 3})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .h = 4})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .space = JCS_GRAYSCALE})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .space = JCS_RGB})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 96, .height = 96, .space = JCS_YCCK})));
  CHECK_FALSE(is_taken(make_jpeg({.width = 63, .height = 96})));
}

TEST_CASE("A number of a quantisation table that no JPEG can have is not looked up") {
  Bytes file = make_jpeg({.width = 72, .height = 66});
  constexpr std::array frame{std::byte{0xFF}, std::byte{0xC0}};
  const auto at = std::ranges::search(file, frame).begin() - file.begin();
  std::byte& number = file[static_cast<std::size_t>(at) + 12];  // of the first component
  REQUIRE(number == std::byte{0});
  for (unsigned other = 3; other < 256; ++other) {
    INFO("table " << other);
    number = static_cast<std::byte>(other);
    CHECK_FALSE(is_taken(file));
  }
}

TEST_CASE("A file that is cut anywhere is not taken") {
  const Bytes file = make_jpeg({.width = 72, .height = 66, .h = 2, .v = 2});
  REQUIRE(is_taken(file));
  for (std::size_t size = data_at(file); size < file.size(); ++size) {
    Bytes part = cut(file, size);
    INFO("cut after " << size << " of " << file.size());
    CHECK_FALSE(is_taken(part));
    // An end where the file was cut does not make it whole.
    if (size + 2 < file.size()) {
      part.insert(part.end(), {std::byte{0xFF}, std::byte{0xD9}});
      CHECK_FALSE(is_taken(part));
    }
  }
}

TEST_CASE("Bytes between the picture and its end are damage, those after it are not") {
  Bytes file = make_jpeg({.width = 72, .height = 66, .h = 2, .v = 2});
  Bytes longer = file;
  longer.insert(longer.end() - 2, std::byte{0x55});
  CHECK_FALSE(is_taken(longer));
  file.insert(file.end(), {std::byte{1}, std::byte{2}, std::byte{3}});
  CHECK(is_taken(file));
}

TEST_CASE("Whatever libjpeg would complain of is not taken") {
  const auto quality = GENERATE(30, 90, 100);
  const auto optimised = GENERATE(false, true);
  const Bytes file = make_jpeg(
      {.width = 80, .height = 72, .h = 2, .v = 1, .quality = quality, .optimised = optimised});
  std::mt19937 random(1);
  int damaged = 0;
  for (int i = 0; i < 1000; ++i) {
    Bytes copy = file;
    const std::size_t at = data_at(file) + random() % (file.size() - data_at(file));
    copy[at] ^= static_cast<std::byte>(1 << random() % 8);
    if (is_read(copy)) continue;
    ++damaged;
    INFO("byte " << at << " is " << std::to_integer<int>(copy[at]));
    CHECK_FALSE(is_taken(copy));
  }
  CHECK(damaged > 20);
}

TEST_CASE("Turns that have to resample chroma are the CPU's") {
  const auto takes = [](int width, int height, int h, int v, Orientation orientation) {
    const Bytes file = make_jpeg({.width = width, .height = height, .h = h, .v = v});
    return HardwareJpeg::of(file, never)->takes(orientation);
  };
  CHECK(takes(98, 76, 2, 2, Orientation::rotate180));
  CHECK_FALSE(takes(97, 76, 2, 2, Orientation::flop));
  CHECK(takes(97, 76, 2, 2, Orientation::flip));
  CHECK(takes(97, 76, 1, 2, Orientation::flop));
  CHECK_FALSE(takes(98, 75, 1, 2, Orientation::rotate90));
  CHECK(takes(97, 75, 2, 2, Orientation::transpose));
  CHECK(takes(97, 75, 1, 1, Orientation::rotate180));
}

TEST_CASE("The JPEG of tables has those of the turned picture") {
  const auto orientation = GENERATE(Orientation::flop, Orientation::rotate90);
  const Bytes file = make_jpeg({.width = 96, .height = 80, .h = 2, .v = 1, .quality = 71});
  const auto jpeg = HardwareJpeg::of(file, never);
  const PlanarRequest request = jpeg->request(std::span(&orientation, 1));
  const JpegInside source = look_inside(file), tables = look_inside(request.outputs[0].tables);
  const bool swapped = swaps_axes(orientation);
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t row = 0; row < 8; ++row) {
      for (std::size_t column = 0; column < 8; ++column) {
        CHECK(tables.components[c].table[row * 8 + column] ==
              source.components[c].table[swapped ? column * 8 + row : row * 8 + column]);
      }
    }
  }
  CHECK(tables.components[0].h == (swapped ? 1 : 2));
  CHECK(tables.components[0].v == (swapped ? 2 : 1));
}

TEST_CASE("What the device made gets the source's markers, names and end") {
  Bytes file = make_jpeg({.width = 96,
                          .height = 80,
                          .h = 2,
                          .v = 2,
                          .first_id = 0,
                          .markers = {marker(JPEG_APP0 + 2, "ICC_PROFILE\0and so on"),
                                      marker(JPEG_COM, "made by hand")}});
  const JpegInside source = look_inside(file);
  file.insert(file.end(), {std::byte{7}, std::byte{8}});
  // A device knows nothing of names, and has markers of its own.
  Bytes made = turn(file, Orientation::rotate90, by_planes);
  const Bytes anonymous = make_jpeg({.width = 80, .height = 96, .h = 2, .v = 2});
  const auto jpeg = HardwareJpeg::of(file, never);
  SpareBytes spare(0, 0);
  const Bytes turned = jpeg->finish(made, Orientation::rotate90, spare);
  const JpegInside result = look_inside(turned), wanted = look_inside(made);
  REQUIRE(result.markers.size() == source.markers.size());
  for (std::size_t i = 0; i < source.markers.size(); ++i) {
    CHECK(result.markers[i].code == source.markers[i].code);
    CHECK(result.markers[i].data == source.markers[i].data);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    CHECK(result.components[c].id == static_cast<int>(c));
    CHECK(result.components[c].blocks == wanted.components[c].blocks);
  }
  CHECK(turned.back() == std::byte{8});
  CHECK(turned[turned.size() - 3] == std::byte{0xD9});
  CHECK_THROWS_WITH(jpeg->finish(anonymous, Orientation::rotate90, spare),
                    Catch::Matchers::ContainsSubstring("other tables"));
  CHECK_THROWS_WITH(jpeg->finish(anonymous, Orientation::flop, spare),
                    Catch::Matchers::ContainsSubstring("other sizes"));
  made.resize(made.size() / 2);
  CHECK_THROWS_AS(jpeg->finish(made, Orientation::rotate90, spare), ImageFileError);
}
