#include "src/metadata/exif_turn.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>

#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/image.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace exif_turn_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;
using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

constexpr std::size_t no_limit = 65533;

// A JPEG as far as its size is concerned: SOI, a frame header, EOI.
std::string jpeg_of_size(unsigned width, unsigned height, std::size_t more = 0) {
  const ByteOrder order{false};
  return "\xFF\xD8" +
         jpeg_segment(0xC0, "\x08" + order.u16(height) + order.u16(width) + "\x01\x01\x11" +
                                std::string(1 + more, '\0')) +
         "\xFF\xD9";
}

MetadataTurn turn_of(Orientation pixels, Size size, Orientation stored = Orientation::rotate90) {
  return {.stored = stored,
          .pixels = pixels,
          .tag = Orientation::identity,
          .size = size,
          .turn_embedded = [](std::span<const std::byte> jpeg, Orientation orientation) {
            const Size now = turned_size(orientation, *jpeg_size(jpeg));
            return owned(
                jpeg_of_size(static_cast<unsigned>(now.width), static_cast<unsigned>(now.height)));
          }};
}

std::string turned(const std::string& block, const MetadataTurn& turn,
                   std::vector<std::string>& warnings, std::size_t max_bytes = no_limit) {
  return std::string(
      text_of(turn_exif(bytes_of(block), turn, MissingTag::stays_absent, max_bytes, warnings)));
}

// A block whose second directory is a thumbnail without compression.
struct Pixels {
  unsigned width, height, photometric;
  std::string stored;
  std::vector<unsigned> chroma_steps = {};
};

// The first with a tag, the second of a thumbnail without compression, without its strips.
std::array<ExifDirectory, 2> two_directories(unsigned width, unsigned height, unsigned photometric,
                                             ByteOrder order) {
  std::array<ExifDirectory, 2> both;
  both[0].add_short(274, 1, order);
  both[1].add_long(256, width, order);
  both[1].add_long(257, height, order);
  both[1].add_short(259, 1, order);
  both[1].add_short(262, photometric, order);
  return both;
}

std::string block_of_two(const ExifDirectory& first, const ExifDirectory& second, ByteOrder order) {
  const std::size_t second_at = 8 + first.bytes();
  return tiff_header(order) + first.at(8, second_at, order) + second.at(second_at, 0, order);
}

std::string block_with(const Pixels& pixels) {
  const ByteOrder order{false};
  auto [first, second] = two_directories(pixels.width, pixels.height, pixels.photometric, order);
  second.add_long(273, 0, order);
  second.add_long(278, pixels.height, order);
  second.add_long(279, pixels.stored.size(), order);
  if (!pixels.chroma_steps.empty()) {
    second.entries.push_back(
        {530, 3, 2, order.u16(pixels.chroma_steps[0]) + order.u16(pixels.chroma_steps[1])});
  }
  const std::size_t second_at = 8 + first.bytes();
  second.entries[4].value = order.u32(second_at + second.bytes());
  return block_of_two(first, second, order) + pixels.stored;
}

/// The proof accepts `after`, whose last bytes are pixels, and no other pixel or size.
void check_proof(const std::string& before, const std::string& after, const MetadataTurn& turn) {
  CHECK_NOTHROW(prove_exif(bytes_of(before), bytes_of(after), turn));
  std::string other = after;
  other[other.find_last_not_of('-')] ^= 1;
  CHECK_THROWS_AS(prove_exif(bytes_of(before), bytes_of(other), turn), ProofError);
  if (before.size() == after.size())
    CHECK_THROWS_AS(prove_exif(bytes_of(before), bytes_of(before), turn), ProofError);
}

}  // namespace

TEST_CASE("A thumbnail without compression is turned, pixels that share their chroma together") {
  struct Case {
    Pixels before, after;
  };
  const Case c = GENERATE(values<Case>({
      {{3, 2, 1, "abcdef"}, {2, 3, 1, "daebfc"}},
      {{3, 2, 0, "abcdef"}, {2, 3, 0, "daebfc"}},
      {{2, 1, 2, "rgbRGB"}, {1, 2, 2, "rgbRGB"}},
      // Without steps they are 2 and 2: four lumas, Cb and Cr.
      {{4, 2, 6, "acegBRbdfhUV"}, {2, 4, 6, "eagcBRfbhdUV"}},
      {{4, 1, 6, "abBRcdUV", {2, 1}}, {1, 4, 6, "abBRcdUV", {1, 2}}},
      {{1, 4, 6, "abBRcdUV", {1, 2}}, {4, 1, 6, "dcUVbaBR", {2, 1}}},
      {{2, 1, 6, "yBRzUV", {1, 1}}, {1, 2, 6, "yBRzUV", {1, 1}}},
  }));
  CAPTURE(c.before.stored);
  const MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64}, Orientation::identity);
  std::vector<std::string> warnings;
  CHECK(turned(block_with(c.before), turn, warnings) == block_with(c.after));
  CHECK(warnings.empty());
  check_proof(block_with(c.before), block_with(c.after), turn);
}

TEST_CASE("A thumbnail without compression that does not hold together is left out") {
  const Pixels pixels = GENERATE(values<Pixels>({
      {3, 2, 1, "abcde"},                 // a pixel too few
      {3, 2, 6, "acegBRbdfhUV"},          // a third column without chroma
      {4, 2, 6, "acegBRbdfhUV", {3, 2}},  // no such step
      {4, 2, 8, std::string(24, 'L')},    // CIE L*a*b*
      {70000, 1, 1, std::string(70000, 'g')},
  }));
  std::vector<std::string> warnings;
  turned(block_with(pixels), turn_of(Orientation::rotate90, {48, 64}, Orientation::identity),
         warnings, 100'000);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("left out"));
}

TEST_CASE("A thumbnail in several strips becomes one strip, or one for each plane") {
  struct Case {
    unsigned width, height, photometric, planar;
    std::vector<std::string> strips;
    std::string turned;
    unsigned strip_type = 4;
  };
  const Case c = GENERATE(values<Case>({
      {3, 2, 1, 1, {"abc", "def"}, "daebfc"},
      {3, 2, 1, 1, {"abc", "def"}, "daebfc", 3},
      {2, 3, 2, 1, {"aAabBbcCcdDd", "eEefFf"}, "eEecCcaAafFfdDdbBb"},
      {4, 4, 6, 1, {"abcdBRefghUV", "ijklXYmnopZW"}, "kiljXYcadbBRompnZWgehfUV"},
      {3, 2, 2, 2, {"abcdef", "ghijkl", "mnopqr"}, "daebfcjgkhlipmqnro"},
      {3, 2, 2, 2, {"abc", "def", "ghi", "jkl", "mno", "pqr"}, "daebfcjgkhlipmqnro"},
      {3, 2, 2, 2, {"abc", "def", "ghi", "jkl", "mno", "pqr"}, "daebfcjgkhlipmqnro", 3},
  }));
  const bool gaps = GENERATE(false, true);
  CAPTURE(c.turned, c.strips.size(), c.strip_type, gaps);
  const ByteOrder order{true};
  auto [first, second] = two_directories(c.width, c.height, c.photometric, order);
  const auto list = [&, &second = second](std::uint16_t tag, auto value_of) {
    std::string values;
    for (std::size_t i = 0; i < c.strips.size(); ++i) {
      values += order.number(value_of(i), c.strip_type == 3 ? 2 : 4);
    }
    second.entries.push_back({tag, c.strip_type, c.strips.size(), values});
  };
  list(273, [](std::size_t) { return std::size_t{0}; });
  second.add_long(278, 1, order);
  list(279, [&](std::size_t i) { return c.strips[i].size(); });
  second.add_short(284, c.planar, order);
  const std::size_t second_at = 8 + first.bytes(), strips_at = second_at + second.bytes();
  std::string strips;
  std::vector<std::size_t> places;
  for (const std::string& strip : c.strips) {
    places.push_back(strips_at + strips.size());
    strips += strip + (gaps ? "--" : "");
  }
  const ExifDirectory::Entry offsets = [&, &second = second] {
    list(273, [&](std::size_t i) { return places[i]; });
    ExifDirectory::Entry made = second.entries.back();
    second.entries.pop_back();
    return made;
  }();
  second.entries[4] = offsets;
  const std::string block = block_of_two(first, second, order) + strips;

  const MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64}, Orientation::identity);
  std::vector<std::string> warnings;
  const Bytes after =
      turn_exif(bytes_of(block), turn, MissingTag::stays_absent, no_limit, warnings);
  CHECK(warnings.empty());
  const auto tiff = *TiffStructure::open(after);
  const TiffEntries directory = tiff.directory(tiff.directory(8).next);
  const auto numbers = [&](std::uint16_t tag) {
    const TiffEntry& entry = *directory.find(tag);
    std::vector<std::uint64_t> found;
    const std::size_t bytes = entry.value_bytes / entry.count;
    for (std::uint64_t i = 0; i < entry.count; ++i) {
      found.push_back(tiff.number(entry.value_at + i * bytes, bytes));
    }
    return found;
  };
  const auto at = numbers(273), sizes = numbers(279);
  REQUIRE(at.size() == (c.planar == 2 ? 3U : 1U));
  REQUIRE(sizes.size() == at.size());
  std::string pixels;
  for (std::size_t i = 0; i < at.size(); ++i) {
    pixels += text_of(after).substr(at[i], sizes[i]);
  }
  CHECK(pixels == c.turned);
  CHECK(numbers(256) == std::vector<std::uint64_t>{c.height});
  CHECK(numbers(257) == std::vector<std::uint64_t>{c.width});
  CHECK(numbers(278) == std::vector<std::uint64_t>{c.width});
  check_proof(block, std::string(text_of(after)), turn);
  // Only strips that do not follow each other need a new place.
  CHECK((after.size() > block.size()) == (gaps && c.strips.size() > at.size()));

  if (!gaps || c.strips.size() == at.size()) return;
  turn_exif(bytes_of(block), turn, MissingTag::stays_absent, block.size() + 1, warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("left out") && ContainsSubstring("full"));
}

TEST_CASE("Three planes in two strips, or in strips of unequal lengths, are left out") {
  const auto counts =
      GENERATE(std::vector<std::uint32_t>{8, 4}, std::vector<std::uint32_t>{2, 6, 4});
  const ByteOrder order{false};
  auto [first, second] = two_directories(2, 2, 2, order);
  const std::size_t second_at = 8 + first.bytes();
  // The lists of strips are the end of the block, where another number would lie beyond it.
  const std::size_t strips_at = second_at + 2 + 12 * 7 + 4;
  std::string offsets, lengths;
  for (const std::uint32_t count : counts) {
    offsets += order.u32(strips_at);
    lengths += order.u32(count);
  }
  const auto strips = static_cast<std::uint32_t>(counts.size());
  second.entries.push_back({273, 4, strips, offsets});
  second.entries.push_back({279, 4, strips, lengths});
  second.add_short(284, 2, order);
  const std::string block = block_of_two(first, second, order);
  std::vector<std::string> warnings;
  turned(block, turn_of(Orientation::rotate90, {48, 64}, Orientation::identity), warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("its strips do not hold its p"));
}

TEST_CASE("A quarter turn changes what depends on it, and no other byte") {
  const bool little = GENERATE(true, false);
  const ExifFixture before{.little = little,
                           .orientation = 6,
                           .thumbnail = jpeg_of_size(32, 24),
                           .thumbnail_width = 32,
                           .thumbnail_height = 24};
  ExifFixture after = before;
  after.orientation = 1;
  after.width = 48;
  after.height = 64;
  std::swap(after.x_resolution, after.y_resolution);
  // (10, 20) of 64 x 48 is shown at 48 - 1 - 20, 10.
  after.subject_area = {27, 10, 4, 8};
  after.thumbnail = jpeg_of_size(24, 32);
  after.thumbnail_width = 24;
  after.thumbnail_height = 32;
  std::string expected = exif_fixture(after);
  // The thumbnail's resolution, 72 and 36.
  const ByteOrder order{little};
  const std::string x = order.u32(72) + order.u32(1), y = order.u32(36) + order.u32(1);

  std::vector<std::string> warnings;
  const std::string block =
      turned(exif_fixture(before), turn_of(Orientation::rotate90, {48, 64}), warnings);
  CHECK(warnings.empty());
  REQUIRE(block.size() == expected.size());
  // Resolutions are exchanged by their entries: where the values lie does not matter.
  std::size_t different = 0;
  for (std::size_t i = 0; i < block.size(); ++i) different += block[i] != expected[i];
  const std::string before_bytes = exif_fixture(before);
  CHECK(block.find(fixture_maker_note) == before_bytes.find(fixture_maker_note));
  CHECK(stored_orientation(bytes_of(block)).value == Orientation::identity);
  // Two pairs of entries with offsets, and two pairs of values that stayed where they were.
  CHECK(different <= 2 * 2 * (4 + 8));
  CHECK(block.substr(block.size() - after.thumbnail.size()) == after.thumbnail);
}

TEST_CASE("The size in an Olympus note is turned, in the byte order of the note") {
  const auto sizes = [](const std::string& begins, ByteOrder order, unsigned width,
                        unsigned height) {
    return begins + order.u16(2) + order.u16(0x102E) + order.u16(4) + order.u32(1) +
           order.u32(width) + order.u16(0x102F) + order.u16(4) + order.u32(1) + order.u32(height);
  };
  const ByteOrder big{false}, little{true};
  const MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64});
  for (const auto& [begins, order] : {std::pair{"OLYMPUS\0II\3\0"s, little},
                                      {"OLYMPUS\0MM\0\3"s, big},
                                      {"OM SYSTEM\0\0\0II\4\0"s, little},
                                      {"OLYMP\0\1\0"s, big}}) {
    Bytes note = owned(sizes(begins, order, 64, 48));
    turn_maker_note(note, false, turn);
    CHECK(text_of(note) == sizes(begins, order, 48, 64));
    note = owned(sizes(begins, order, 640, 480));  // of the picture before it was made smaller
    turn_maker_note(note, false, turn);
    CHECK(text_of(note) == sizes(begins, order, 480, 640));
    for (std::size_t bytes = 0; bytes + 1 < note.size(); ++bytes) {
      const std::string cut = sizes(begins, order, 64, 48).substr(0, bytes);
      Bytes same = owned(cut);
      turn_maker_note(same, false, turn);
      CHECK(text_of(same) == cut);
    }
  }
  std::string block = exif_fixture({});
  const std::string note = sizes("OLYMP\0\1\0"s, big, 64, 48);
  block.replace(block.find(fixture_maker_note), note.size(), note);
  std::vector<std::string> warnings;
  CHECK(turned(block, turn, warnings).find(sizes("OLYMP\0\1\0"s, big, 48, 64)) !=
        std::string::npos);
}

TEST_CASE("Turning back restores every byte") {
  const Orientation orientation =
      GENERATE(Catch::Generators::from_range(all_orientations.begin(), all_orientations.end()));
  const std::string before = exif_fixture({.orientation = 1,
                                           .thumbnail = jpeg_of_size(32, 24),
                                           .thumbnail_width = 32,
                                           .thumbnail_height = 24});
  std::vector<std::string> warnings;
  const Size size = turned_size(orientation, {64, 48});
  const std::string there =
      turned(before, turn_of(orientation, size, Orientation::identity), warnings);
  const std::string back =
      turned(there, turn_of(inverse(orientation), {64, 48}, Orientation::identity), warnings);
  CHECK(warnings.empty());
  CHECK((there == before) == (orientation == Orientation::identity));
  CHECK(back == before);
}

TEST_CASE("An orientation that is absent stays absent, unless it is to be added") {
  const bool little = GENERATE(true, false);
  const std::string before = exif_fixture({.little = little, .orientation = std::nullopt});
  std::vector<std::string> warnings;
  MetadataTurn turn = turn_of(Orientation::flop, {64, 48}, Orientation::identity);
  CHECK(stored_orientation(bytes_of(turned(before, turn, warnings))).certainty ==
        StoredOrientation::Certainty::absent);

  turn = {.tag = Orientation::transverse, .size = {64, 48}};
  const Bytes tagged = turn_exif(bytes_of(before), turn, MissingTag::is_added, no_limit, warnings);
  CHECK(stored_orientation(tagged).value == Orientation::transverse);
  // Nothing but the offset of the first directory has moved; its old place is only unused.
  CHECK(text_of(tagged).substr(8, before.size() - 8) == std::string_view(before).substr(8));
  CHECK(warnings.empty());
  CHECK(stored_orientation(minimal_exif(Orientation::flip)).value == Orientation::flip);
}

TEST_CASE("A thumbnail that was upright already beside a tagged picture is turned like the view") {
  const std::string before = exif_fixture({.orientation = 6,
                                           .thumbnail = jpeg_of_size(24, 32),
                                           .thumbnail_width = 24,
                                           .thumbnail_height = 32});
  std::vector<std::string> warnings;
  // upright: the view stays what it was.
  const std::string upright = turned(before, turn_of(Orientation::rotate90, {48, 64}), warnings);
  CHECK(upright.ends_with(jpeg_of_size(24, 32)));
  // A quarter turn more: the pixels are turned by half, the view by a quarter.
  const std::string quarter = turned(before, turn_of(Orientation::rotate180, {64, 48}), warnings);
  CHECK(quarter.ends_with(jpeg_of_size(32, 24)));
  CHECK(warnings.empty());
}

TEST_CASE("A larger thumbnail is put after the end, and nothing else moves") {
  std::string block =
      exif_fixture(
          {.thumbnail = jpeg_of_size(32, 24), .thumbnail_width = 32, .thumbnail_height = 24}) +
      "something else";
  MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64});
  turn.turn_embedded = [](std::span<const std::byte>, Orientation) {
    return owned(jpeg_of_size(24, 32, 50));
  };
  std::vector<std::string> warnings;
  const std::string grown = turned(block, turn, warnings);
  CHECK(warnings.empty());
  CHECK(grown.ends_with(jpeg_of_size(24, 32, 50)));
  CHECK(grown.find("something else") == block.find("something else"));

  const std::string full = turned(block, turn, warnings, block.size() + 20);
  CHECK(full.size() == block.size());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("thumbnail") && ContainsSubstring("full"));
}

TEST_CASE("A damaged thumbnail is left out with a warning") {
  const std::string thumbnail = GENERATE(std::string("no JPEG at all"), jpeg_of_size(32, 24));
  std::string block = exif_fixture({.thumbnail = thumbnail});
  MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64});
  turn.turn_embedded = [](std::span<const std::byte>, Orientation) -> Bytes {
    throw ImageFileError("it is cut");
  };
  std::vector<std::string> warnings;
  const std::string without = turned(block, turn, warnings);
  CHECK(without.size() == block.size());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("thumbnail"));
  // Nothing points to it any more, so a second turn has no warning.
  warnings.clear();
  turned(without, turn, warnings);
  CHECK(warnings.empty());
}

TEST_CASE("What is damaged, except for the orientation, stays as it was, with a warning") {
  std::vector<std::string> warnings;
  const MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64});
  SECTION("a subject outside the picture") {
    const std::string block = exif_fixture({.subject_area = {64, 20}});
    CHECK(turned(block, turn, warnings).find("\0\x40\0\x14"sv) != std::string::npos);
  }
  SECTION("a subject of five numbers") {
    turned(exif_fixture({.subject_area = {1, 2, 3, 4, 5}}), turn, warnings);
  }
  SECTION("a size that is a text") {
    std::string block = exif_fixture({});
    block.replace(block.find("\xA0\x02\0\x03"sv), 4, "\xA0\x02\0\x02"sv);
    turned(block, turn, warnings);
  }
  SECTION("the Exif directory beyond the end") {
    std::string block = exif_fixture({});
    block.replace(block.find("\x87\x69\0\x04\0\0\0\x01"sv) + 8, 4, "\0\xFF\0\0"sv);
    turned(block, turn, warnings);
  }
  CHECK(warnings.size() == 1);
}

TEST_CASE("A block without a TIFF header stays as it was, with a warning") {
  const std::string body = GENERATE(std::string("XX") + exif_fixture({}).substr(2),
                                    std::string(64, '\0'), std::string());
  const std::string block = "Exif\0\0"s + body;
  std::vector<std::string> warnings;
  CHECK(turned(block, turn_of(Orientation::rotate90, {48, 64}), warnings) == block);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("no TIFF header"));
}

TEST_CASE("A header that only some programs read fails the block, and says so") {
  std::string block = exif_fixture({});
  std::swap(block[2], block[3]);
  std::vector<std::string> warnings;
  CHECK_THROWS_WITH(turned(block, turn_of(Orientation::rotate90, {48, 64}), warnings),
                    "the Exif block has a header that some programs read and others do not, so its "
                    "orientation cannot be told");
}

TEST_CASE("A size may be a signed LONG, as some programs write it") {
  std::string block = exif_fixture({});
  block.replace(block.find("\xA0\x03\0\x04"sv), 4, "\xA0\x03\0\x09"sv);
  std::vector<std::string> warnings;
  const std::string out = turned(block, turn_of(Orientation::rotate90, {48, 64}), warnings);
  CHECK(warnings.empty());
  CHECK(out.find("\xA0\x03\0\x04\0\0\0\x01\0\0\0\x40"sv) != std::string::npos);
}

TEST_CASE("A block whose parts share their bytes keeps all but its orientation") {
  std::string block = exif_fixture({});
  // The subject's four numbers begin within the header.
  block.replace(block.find("\x92\x14\0\x03\0\0\0\x04"sv) + 8, 4, "\0\0\0\x04"sv);
  std::vector<std::string> warnings;
  const std::string out = turned(block, turn_of(Orientation::rotate90, {48, 64}), warnings);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("share their bytes"));
  block[block.find("\x01\x12\0\x03\0\0\0\x01\0\x06"sv) + 9] = '\x01';
  CHECK(out == block);
}

TEST_CASE("A size that a second Exif directory repeats is turned, one of another picture is not") {
  const ByteOrder order{false};
  const auto block = [&](Size first_says, Size second_says) {
    ExifDirectory first, first_exif, second, second_exif;
    const auto add_size = [&](ExifDirectory& exif, Size size) {
      exif.add_short(0xA002, static_cast<unsigned>(size.width), order);
      exif.add_short(0xA003, static_cast<unsigned>(size.height), order);
    };
    add_size(first_exif, first_says);
    add_size(second_exif, second_says);
    first.add_short(274, 6, order);
    first.add_long(0x8769, 0, order);
    second.add_long(0x8769, 0, order);
    const std::size_t first_exif_at = 8 + first.bytes(),
                      second_at = first_exif_at + first_exif.bytes(),
                      second_exif_at = second_at + second.bytes();
    first.entries[1].value = order.u32(first_exif_at);
    second.entries[0].value = order.u32(second_exif_at);
    return "MM" + order.u16(42) + order.u32(8) + first.at(8, second_at, order) +
           first_exif.at(first_exif_at, 0, order) + second.at(second_at, 0, order) +
           second_exif.at(second_exif_at, 0, order);
  };
  const Size before{64, 48}, after{48, 64}, other{16, 12};
  const Size second_before = GENERATE_COPY(before, other);
  const MetadataTurn turn = turn_of(Orientation::rotate90, after);
  std::vector<std::string> warnings;
  const std::string source = block(before, second_before);
  std::string expected = block(after, second_before == before ? after : other);
  expected[expected.find("\x01\x12\0\x03\0\0\0\x01\0\x06"sv) + 9] = '\x01';
  const std::string result = turned(source, turn, warnings);
  CHECK(result == expected);
  CHECK(warnings.empty());
  CHECK_NOTHROW(prove_exif(bytes_of(source), bytes_of(result), turn));
}

TEST_CASE("No cut and no changed byte of a block leads outside it") {
  const std::string whole = exif_fixture({.little = true,
                                          .thumbnail = jpeg_of_size(32, 24),
                                          .thumbnail_width = 32,
                                          .thumbnail_height = 24});
  const MetadataTurn turn = turn_of(Orientation::rotate90, {48, 64});
  int turned_blocks = 0, refused = 0, astray = 0;
  const auto try_it = [&](const std::string& block) {
    std::vector<std::string> warnings;
    try {
      const Bytes out = turn_exif(bytes_of(block), turn, MissingTag::is_added, no_limit, warnings);
      const StoredOrientation stored = stored_orientation(out);
      astray += stored.value != Orientation::identity ||
                stored.certainty == StoredOrientation::Certainty::unknown ||
                out.size() < block.size();
      ++turned_blocks;
    } catch (const ImageFileError&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < whole.size(); ++size) try_it(whole.substr(0, size));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x7F', '\xFF'}) {
      std::string block = whole;
      block[at] = byte;
      try_it(block);
    }
  }
  // What is turned is upright and has lost no byte; the rest is refused.
  CHECK(astray == 0);
  CHECK(turned_blocks > 0);
  CHECK(refused > 0);
}

namespace {

// The fields that come in pairs, in the Exif and the interoperability directory.
struct Pairs {
  unsigned sensor_x, sensor_y, focal_x, focal_y, related_width, related_height;
};

std::string block_of(const Pairs& says) {
  const ByteOrder order{false};
  ExifDirectory first, exif, related;
  first.add_long(0x8769, 0, order);
  exif.add_rational(0x920E, says.sensor_x, 1, order);
  exif.add_rational(0x920F, says.sensor_y, 1, order);
  exif.add_long(0xA005, 0, order);
  exif.add_rational(0xA20E, says.focal_x, 1, order);
  exif.add_rational(0xA20F, says.focal_y, 1, order);
  related.add_long(0x1001, says.related_width, order);
  related.add_long(0x1002, says.related_height, order);
  const std::size_t exif_at = 8 + first.bytes(), related_at = exif_at + exif.bytes();
  first.entries[0].value = order.u32(exif_at);
  exif.entries[2].value = order.u32(related_at);
  return "MM" + order.u16(42) + order.u32(8) + first.at(8, 0, order) + exif.at(exif_at, 0, order) +
         related.at(related_at, 0, order);
}

Pairs pairs_in(const std::string& block) {
  const auto tiff = *TiffStructure::open(bytes_of(block));
  const TiffEntries first = tiff.directory(tiff.first_directory());
  const TiffEntries exif = tiff.directory(*tiff.integer(*first.find(0x8769)));
  const TiffEntries related = tiff.directory(*tiff.integer(*exif.find(0xA005)));
  const auto over = [&](std::uint16_t tag) {
    return static_cast<unsigned>(tiff.number(exif.find(tag)->value_at, 4));
  };
  const auto side = [&](std::uint16_t tag) {
    return static_cast<unsigned>(*tiff.integer(*related.find(tag)));
  };
  return {over(0x920E), over(0x920F), over(0xA20E), over(0xA20F), side(0x1001), side(0x1002)};
}

}  // namespace

TEST_CASE("The resolution of the sensor and the size of a related picture turn with the axes") {
  std::vector<std::string> warnings;
  const std::string block = block_of({1, 2, 3, 4, 64, 48}), other = block_of({1, 2, 3, 4, 90, 30});
  const auto is = [](const Pairs& a, const Pairs& b) {
    return a.sensor_x == b.sensor_x && a.sensor_y == b.sensor_y && a.focal_x == b.focal_x &&
           a.focal_y == b.focal_y && a.related_width == b.related_width &&
           a.related_height == b.related_height;
  };
  const MetadataTurn swaps = turn_of(Orientation::rotate90, {48, 64});
  const std::string now = turned(block, swaps, warnings);
  CHECK(is(pairs_in(now), {2, 1, 4, 3, 48, 64}));
  CHECK_NOTHROW(prove_exif(bytes_of(block), bytes_of(now), swaps));
  CHECK(is(pairs_in(turned(other, swaps, warnings)), {2, 1, 4, 3, 30, 90}));
  const MetadataTurn keeps = turn_of(Orientation::flop, {64, 48});
  CHECK(turned(block, keeps, warnings) == block);
  CHECK(warnings.empty());
}

}  // namespace exif_turn_test
