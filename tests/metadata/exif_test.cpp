#include "src/metadata/exif.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/file_parts.hpp"

namespace exif_test {

namespace {

using namespace qturn;
using namespace qturn::tests;
using Certainty = StoredOrientation::Certainty;
using Block = std::vector<std::byte>;
using std::string_literals::operator""s;

std::string header(ByteOrder order, unsigned number = 42) {
  return (order.little ? "II" : "MM") + order.u16(number) + order.u32(8);
}

std::string entry(ByteOrder order, unsigned tag, unsigned type, unsigned count, unsigned value) {
  // A value shorter than four bytes stands at their beginning.
  const int bytes = type == 1 || type == 6 ? 1 : type == 3 || type == 8 ? 2 : 4;
  return order.u16(tag) + order.u16(type) + order.u32(count) + order.number(value, bytes) +
         std::string(static_cast<std::size_t>(4 - bytes), '\0');
}

// Make, orientation of the given type, software; then no further directory.
Block block_with(bool little, unsigned type, unsigned count, unsigned value, unsigned number = 42) {
  const ByteOrder order{little};
  return owned(header(order, number) + order.u16(3) + entry(order, 271, 2, 4, 0x41424300) +
               entry(order, 274, type, count, value) + entry(order, 305, 2, 4, 0x41424300) +
               order.u32(0));
}

}  // namespace

TEST_CASE("Every orientation is read in both byte orders, from each integer type") {
  const bool little = GENERATE(true, false);
  const unsigned type = GENERATE(1U, 3U, 4U, 6U, 8U, 9U);
  for (unsigned number = 1; number <= 8; ++number) {
    const StoredOrientation stored = stored_orientation(block_with(little, type, 1, number));
    CHECK(stored.certainty == Certainty::present);
    CHECK(stored.value == static_cast<Orientation>(number));
  }
}

TEST_CASE("Values that Exif does not define and types that are not integers count as upright") {
  for (const unsigned value : {0U, 9U, 65535U}) {
    const StoredOrientation stored = stored_orientation(block_with(true, 3, 1, value));
    CHECK(stored.certainty == Certainty::present);
    CHECK(stored.value == Orientation::identity);
  }
  // Signed and negative.
  for (const auto& [type, value] : {std::pair{6U, 0xFAU}, {8U, 0xFFFAU}, {9U, 0xFFFFFFFAU}}) {
    CHECK(stored_orientation(block_with(true, type, 1, value)).value == Orientation::identity);
  }
  // ASCII, RATIONAL, UNDEFINED, FLOAT, DOUBLE.
  for (const unsigned type : {2U, 5U, 7U, 11U, 12U}) {
    CHECK(stored_orientation(block_with(true, type, 1, 6)).value == Orientation::identity);
  }
  CHECK(stored_orientation(block_with(true, 3, 2, 6)).value == Orientation::identity);
}

TEST_CASE("Setting upright changes the entry and no other byte") {
  const bool little = GENERATE(true, false);
  const unsigned type = GENERATE(1U, 3U, 4U, 6U, 8U, 9U, 2U);
  Block block = block_with(little, type, 1, 6);
  REQUIRE(set_upright(block));
  CHECK(block == block_with(little, 3, 1, 1));
}

TEST_CASE("An upright SHORT is left exactly as it is") {
  const Block before = block_with(false, 3, 1, 1);
  Block after = before;
  REQUIRE(set_upright(after));
  CHECK(after == before);
}

TEST_CASE("The second directory, a thumbnail's, is left alone, also where it is the first") {
  const ByteOrder order{true};
  const std::string first = header(order) + order.u16(1) + entry(order, 274, 3, 1, 6);
  Block block =
      owned(first + order.u32(26) + order.u16(1) + entry(order, 274, 3, 1, 8) + order.u32(0));
  REQUIRE(set_upright(block));
  CHECK(block[18] == std::byte{1});
  CHECK(block[36] == std::byte{8});
  Block circle = owned(first + order.u32(8));
  CHECK(set_upright(circle));
}

TEST_CASE("Without a directory there is no orientation") {
  CHECK(stored_orientation({}).certainty == Certainty::absent);
  Block none = owned(header({true}));
  none[4] = std::byte{0};
  CHECK(stored_orientation(none).certainty == Certainty::absent);
  Block text(64, std::byte{'x'});
  CHECK(stored_orientation(text).certainty == Certainty::absent);
  CHECK(set_upright(text));
  Block mixed = block_with(true, 3, 1, 6);
  mixed[1] = std::byte{'M'};
  CHECK(stored_orientation(mixed).certainty == Certainty::absent);
}

TEST_CASE("What has a TIFF's byte order and another number is read by some, so it is unknown") {
  const bool little = GENERATE(true, false);
  const auto number = GENERATE(0x2A00U, 43U, 0x2B00U, 0x55U, 0x5500U, 0U, 0x524FU);
  Block block = block_with(little, 3, 1, 6, number);
  const Block before = block;
  CAPTURE(little, number);
  CHECK(stored_orientation(block).certainty == Certainty::unknown);
  CHECK_FALSE(set_upright(block));
  CHECK(block == before);
  CHECK_THROWS_AS(orientation_of_exif(block), ImageFileError);
  CHECK_THROWS_AS(upright_exif(block), ImageFileError);
}

TEST_CASE("A directory that ends early might have held the orientation") {
  Block block = owned(header({}) + "\xFF\xFF" + entry({}, 271, 2, 4, 0));
  CHECK(stored_orientation(block).certainty == Certainty::unknown);
  CHECK_FALSE(set_upright(block));
  CHECK_THROWS_AS(orientation_of_exif(block), ImageFileError);
  CHECK_THROWS_AS(upright_exif(block), ImageFileError);
}

TEST_CASE("An orientation before the damage is good enough to be read and set") {
  Block block = owned(header({}) + "\xFF\xFF" + entry({}, 274, 3, 1, 6));
  CHECK(stored_orientation(block).value == Orientation::rotate90);
  REQUIRE(set_upright(block));
  CHECK(stored_orientation(block).value == Orientation::identity);
}

TEST_CASE("No cut and no offset leads outside the block, and only what is found is set") {
  const Block whole = block_with(true, 3, 1, 6);
  const auto read_and_set = [](Block block) {
    const Block before = block;
    const StoredOrientation stored = stored_orientation(block);
    CHECK(set_upright(block) == (stored.certainty != Certainty::unknown));
    CHECK(stored_orientation(block).certainty == stored.certainty);
    CHECK(stored_orientation(block).value == Orientation::identity);
    if (stored.certainty != Certainty::present) CHECK(block == before);
    return stored;
  };
  // Header, number of entries, the first entry and the second, which is the orientation.
  constexpr std::size_t needed = 8 + 2 + 12 + 12;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    CAPTURE(size);
    const StoredOrientation stored = read_and_set(cut(whole, size));
    CHECK((stored.certainty == Certainty::present) == (size >= needed));
    CHECK(stored.value == (size >= needed ? Orientation::rotate90 : Orientation::identity));
  }
  for (int offset = 0; offset < 256; ++offset) {
    for (const std::byte high : {std::byte{0}, std::byte{0xFF}}) {
      CAPTURE(offset, high);
      Block block = whole;
      block[4] = static_cast<std::byte>(offset);
      block[7] = high;
      // At 20 a value's last bytes are taken for a count, and the orientation's entry follows.
      const bool is_found = block == whole || (offset == 20 && high == std::byte{0});
      CHECK((read_and_set(block).value == Orientation::rotate90) == is_found);
    }
  }
}

TEST_CASE("JPEG's signature before the structure is passed over, whatever its last byte") {
  const std::string signature =
      GENERATE("Exif\0\0"s, "Exif\0\xFF"s, "Exif\0 "s, "Exif\0\0Exif\0\0"s);
  const Block tiff = block_with(true, 3, 1, 8);
  const Block block = followed_by(owned(signature), text_of(tiff));
  CHECK(exif_body(block).size() == tiff.size());
  CHECK(exif_body(tiff).size() == tiff.size());
  CHECK(orientation_of_exif(block) == Orientation::rotate270);
  CHECK(orientation_of_exif(upright_exif(block)) == Orientation::identity);
}

}  // namespace exif_test
