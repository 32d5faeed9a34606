// Coefficients that are read without libjpeg, compared with libjpeg's.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/lossless.hpp"
#include "src/formats/jpeg/writing/writer.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/jpeg_readers.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace jpeg_sequential_test {

namespace {

using namespace qturn;
using namespace qturn::jpeg;
using namespace qturn::tests;

const std::atomic<bool> never{false};

/// A file with the header of `file`, and any coefficients. One of `one_in` is not zero.
Bytes with_coefficients(const Bytes& file, int one_in, int most_bits, unsigned seed,
                        JpegTables tables) {
  std::mt19937 random(seed);
  const auto any = [&](int below) { return static_cast<int>(random() % unsigned(below)); };
  ReadByLibjpeg read(file);
  for (int i = 0; i < read.decoder.info.num_components; ++i) {
    const JpegBlockArray& component = read.blocks.component(i);
    for (JDIMENSION y = 0; y < component.rows; ++y) {
      for (JDIMENSION x = 0; x < component.blocks_per_row; ++x) {
        for (JCOEF& value : component.row_starts[y][x]) {
          const int largest = (1 << any(most_bits + 1)) - 1;
          value = static_cast<JCOEF>(any(one_in) == 0 ? any(2 * largest + 1) - largest : 0);
        }
      }
    }
  }
  return write_jpeg(describe(read.decoder), read.blocks, Orientation::identity, tables, never);
}

void check_same(const Bytes& file) {
  const auto own = own_coefficients(file);
  REQUIRE(own);
  CHECK(*own == libjpeg_coefficients(file));
}

void put(Bytes& file, std::size_t before_end, std::initializer_list<int> bytes) {
  Bytes added;
  for (const int each : bytes) added.push_back(static_cast<std::byte>(each));
  file.insert(file.end() - static_cast<std::ptrdiff_t>(before_end), added.begin(), added.end());
}

/// Bytes of the turned file, or what is wrong.
template <class Turn>
std::string outcome(Turn turn) {
  try {
    const Bytes made = turn();
    return {reinterpret_cast<const char*>(made.data()), made.size()};
  } catch (const ImageFileError& error) {
    return error.what();
  }
}

std::string outcome(const Bytes& file) {
  return outcome([&] {
    PixelArena arena;
    std::vector<std::string> notes;
    return JpegCoefficients(file, arena, never, notes).turn(Orientation::identity, never);
  });
}

std::string outcome_by_libjpeg(const Bytes& file) {
  return outcome([&] {
    const ReadByLibjpeg read(file);
    return write_jpeg(describe(read.decoder), read.blocks, Orientation::identity,
                      JpegTables::of_source, never);
  });
}

}  // namespace

TEST_CASE("Files of every sampling, quality and size are read as libjpeg reads them") {
  const auto space = GENERATE(JCS_GRAYSCALE, JCS_YCbCr, JCS_RGB, JCS_CMYK, JCS_YCCK);
  const auto [h, v] = GENERATE(table<int, int>({{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}}));
  for (const int quality : {1, 30, 75, 90, 97, 100}) {
    for (const unsigned interval : {0U, 1U, 3U, 1000U}) {
      for (const bool optimised : {false, true}) {
        INFO(h << "x" << v << ", quality " << quality << ", interval " << interval);
        check_same(make_jpeg({.width = 67 + quality % 10,
                              .height = 43 + quality % 9,
                              .space = space,
                              .h = h,
                              .v = v,
                              .quality = quality,
                              .optimised = optimised,
                              .restart_interval = interval}));
      }
    }
  }
}

TEST_CASE("Coefficients of every size and number are read as libjpeg reads them") {
  const auto tables = GENERATE(JpegTables::of_source, JpegTables::fitted);
  const auto interval = GENERATE(0U, 2U);
  const Bytes header =
      make_jpeg({.width = 150, .height = 90, .h = 2, .v = 2, .restart_interval = interval});
  unsigned seed = 0;
  for (const int one_in : {1, 2, 5, 20, 64, 300}) {
    for (const int most_bits : {1, 3, 6, 9, 10}) {
      INFO("one of " << one_in << " with up to " << most_bits << " bits");
      check_same(with_coefficients(header, one_in, most_bits, ++seed, tables));
    }
  }
}

TEST_CASE("Data of more than a window, with 0xFF everywhere, is read as libjpeg reads it") {
  const Bytes header = make_jpeg({.width = 900, .height = 700, .h = 2, .v = 1});
  check_same(with_coefficients(header, 1, 10, 1, JpegTables::of_source));
  check_same(with_coefficients(header, 3, 2, 2, JpegTables::fitted));
}

TEST_CASE("The sample pictures are read without libjpeg") {
  int read = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(qturn::tests::sources() / "testdata")) {
    if (entry.path().extension() != ".jpg") continue;
    INFO(entry.path());
    const Bytes file = owned(content_of(entry.path()));
    if (look_inside(file).scans > 1) {
      CHECK_FALSE(own_coefficients(file));
      continue;
    }
    check_same(file);
    ++read;
  }
  CHECK(read > 3);
}

TEST_CASE("Other kinds of coding are left to libjpeg") {
  CHECK_FALSE(own_coefficients(make_jpeg({.progressive = true})));
  CHECK_FALSE(own_coefficients(make_jpeg({.one_scan_each = true})));
  CHECK_FALSE(own_coefficients(make_jpeg({.space = JCS_GRAYSCALE, .progressive = true})));
}

TEST_CASE("What is not as it should be is left to libjpeg") {
  const auto interval = GENERATE(0U, 4U);
  Bytes file =
      make_jpeg({.width = 200, .height = 200, .quality = 97, .restart_interval = interval});
  REQUIRE(own_coefficients(file));
  SECTION("fill bytes before the end") { put(file, 2, {0xFF, 0xFF}); }
  SECTION("a byte too many") { put(file, 2, {0x12}); }
  SECTION("a restart marker too many") { put(file, 2, {0xFF, 0xD7}); }
  SECTION("another marker") { put(file, 2, {0xFF, 0xFE, 0, 2}); }
  SECTION("no end") { file.resize(file.size() - 2); }
  SECTION("half of an end") { file.resize(file.size() - 1); }
  SECTION("a byte too few") { file.erase(file.end() - 3); }
  CHECK_FALSE(own_coefficients(file));
  CHECK((outcome(file) == outcome_by_libjpeg(file)));
}

TEST_CASE("Restart markers must count") {
  const Bytes good = make_jpeg({.width = 200, .height = 200, .quality = 97, .restart_interval = 4});
  REQUIRE(own_coefficients(good));
  int markers = 0;
  for (std::size_t i = 0; i + 1 < good.size(); ++i) {
    const auto number = std::to_integer<int>(good[i + 1]);
    if (good[i] != std::byte{0xFF} || number < 0xD0 || number > 0xD7) continue;
    if (++markers % 16 != 0) continue;
    Bytes file = good;
    file[i + 1] = static_cast<std::byte>(number == 0xD7 ? 0xD0 : number + 1);
    CHECK_FALSE(own_coefficients(file));
    CHECK((outcome(file) == outcome_by_libjpeg(file)));
  }
}

TEST_CASE("A DC coefficient beyond its range is left to libjpeg") {
  // Sixteen blocks, each 2047 more than the one before, take 26 bytes. Again after themselves, they
  // lead to 65,504.
  const Bytes header = make_jpeg({.width = 8, .height = 128, .space = JCS_GRAYSCALE});
  PixelArena arena;
  JpegDecoder decoder(header);
  JpegBlocks blocks(arena);
  REQUIRE(read_sequential(decoder, blocks));
  for (JDIMENSION y = 0; y < 16; ++y) {
    JCOEF* block = blocks.component(0).row_starts[y][0];
    std::fill_n(block, DCTSIZE2, JCOEF{0});
    block[0] = static_cast<JCOEF>(2047 * (y + 1));
  }
  Bytes file =
      write_jpeg(describe(decoder), blocks, Orientation::identity, JpegTables::fitted, never);
  check_same(file);
  const JpegFile parsed(file);
  const auto data = parsed.bytes.subspan(parsed.scans.front().data_at, parsed.scans.front().bytes);
  const Bytes twice(data.begin(), data.end());
  file.insert(file.end() - 2, twice.begin(), twice.end());
  const std::array frame{std::byte{0xFF}, std::byte{0xC0}};
  const auto found = std::search(file.begin(), file.end(), frame.begin(), frame.end());
  *(found + 5) = std::byte{1};  // 256 rows
  *(found + 6) = std::byte{0};
  CHECK_FALSE(own_coefficients(file));
  CHECK((outcome(file) == outcome_by_libjpeg(file)));
}

TEST_CASE("A change anywhere in a file has the outcome that it has with libjpeg alone") {
  const auto kind = GENERATE(0, 1, 2, 3);
  Bytes whole = make_jpeg({.width = 190,
                           .height = 170,
                           .space = kind == 3 ? JCS_GRAYSCALE : JCS_YCbCr,
                           .h = kind == 1 ? 1 : 2,
                           .v = kind == 1 ? 1 : 2,
                           .quality = 97,
                           .restart_interval = kind == 2 ? 2U : 0U});
  if (kind == 1) whole = with_coefficients(whole, 2, 10, 1, JpegTables::fitted);
  REQUIRE(whole.size() > 6500);  // for less, libjpeg is taken anyway
  std::mt19937 random(static_cast<unsigned>(kind));
  const auto any = [&](std::size_t below) { return random() % below; };
  int read = 0, left_to_libjpeg = 0;
  for (int i = 0; i < 500; ++i) {
    Bytes file = whole;
    for (std::size_t changes = 1 + any(2); changes > 0; --changes) {
      const std::size_t range = any(4) == 0 ? 700 : file.size() - 2;  // the header, or all
      const auto place = file.begin() + static_cast<std::ptrdiff_t>(2 + any(range));
      switch (any(5)) {
        case 0:
          *place ^= static_cast<std::byte>(1 << any(8));
          break;
        case 1:
          *place = static_cast<std::byte>(any(256));
          break;
        case 2:
          *place = std::byte{0xFF};
          break;
        case 3:
          file.erase(place);
          break;
        default:
          file.insert(place, static_cast<std::byte>(any(256)));
      }
    }
    INFO("kind " << kind << ", change " << i);
    CHECK((outcome(file) == outcome_by_libjpeg(file)));
    try {
      const auto own = own_coefficients(file);
      ++(own ? read : left_to_libjpeg);
      if (own) CHECK(*own == libjpeg_coefficients(file));
    } catch (const ImageFileError&) {
    }
  }
  CHECK(read > 20);
  CHECK(left_to_libjpeg > 100);
}

TEST_CASE("Reading ends when it is to stop") {
  const Bytes file = make_jpeg({});
  const std::atomic<bool> stop{true};
  PixelArena arena;
  std::vector<std::string> notes;
  CHECK_THROWS_AS(JpegCoefficients(file, arena, stop, notes), Interrupted);
}

}  // namespace jpeg_sequential_test
