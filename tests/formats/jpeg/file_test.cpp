// A JPEG as its markers tell it: segments, scans, and where the picture ends.
#include "src/formats/jpeg/file/jpeg_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <algorithm>
#include <array>
#include <string>

#include "src/picture/image.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"

namespace jpeg_file_test {

namespace {

using namespace qturn;
using namespace qturn::jpeg;
using tests::make_jpeg;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

Bytes with(const Bytes& file, std::size_t at, const Bytes& more) {
  Bytes longer = file;
  longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
  return longer;
}

std::vector<int> markers_of(const std::vector<JpegSegment>& segments) {
  std::vector<int> markers;
  for (const JpegSegment& segment : segments) markers.push_back(segment.marker);
  return markers;
}

void check_refusal(const Bytes& file, const std::string& message) {
  CHECK_THROWS_MATCHES(JpegFile(file), ImageFileError, Catch::Matchers::Message(message));
}

}  // namespace

TEST_CASE("The segments of a header are found in order, with their payloads") {
  const Bytes file = make_jpeg({.markers = {{0xE5, bytes_of({1, 2, 3})}, {0xFE, bytes_of({})}}});
  const JpegFile parsed(file);
  CHECK(markers_of(parsed.segments) ==
        std::vector<int>{0xE0, 0xE5, 0xFE, 0xDB, 0xDB, 0xC0, 0xC4, 0xC4, 0xC4, 0xC4});
  const JpegSegment& own = parsed.segments[1];
  CHECK(std::ranges::equal(own.payload, bytes_of({1, 2, 3})));
  CHECK(own.payload.data() == file.data() + own.offset);
  CHECK(parsed.end == file.size());
  CHECK(parsed.trailing_data().empty());
}

TEST_CASE("A baseline picture has one scan of all components, with its tables") {
  const Bytes file = make_jpeg({.restart_interval = 3});
  const JpegFile parsed(file);
  REQUIRE(parsed.scans.size() == 1);
  const JpegScan& scan = parsed.scans.front();
  REQUIRE(scan.components.size() == 3);
  CHECK(scan.components[0].id == 1);
  CHECK(scan.components[2].ac_slot == 1);
  REQUIRE(scan.components[2].ac);
  CHECK(scan.components[2].ac->symbol_count() == 162);
  CHECK((scan.first == 0 && scan.last == 63 && scan.high == 0 && scan.low == 0));
  CHECK(scan.restart_interval == 3);
  CHECK(scan.data_at + scan.bytes + 2 == file.size());
}

TEST_CASE("The header alone tells of the first scan, and the rest is parsed later or told") {
  Bytes file = make_jpeg({.one_scan_each = GENERATE(false, true), .restart_interval = 3});
  file.resize(file.size() + 5);
  const JpegFile all(file);
  JpegFile header(file, {}, JpegFile::Part::header);
  CHECK(all.is_complete());
  CHECK_FALSE(header.is_complete());
  CHECK(markers_of(header.segments) == markers_of(all.segments));
  CHECK(header.size == all.size);
  REQUIRE(header.scans.size() == 1);
  CHECK(header.scans[0].data_at == all.scans[0].data_at);
  CHECK(header.scans[0].restart_interval == 3);
  CHECK(header.end == file.size());
  JpegFile told = header;

  header.complete();
  CHECK(header.is_complete());
  REQUIRE(header.scans.size() == all.scans.size());
  CHECK(header.scans[0].bytes == all.scans[0].bytes);
  CHECK(header.scan_count == all.scan_count);
  CHECK(header.end == file.size() - 5);

  if (all.scans.size() > 1) return;
  told.complete_with(all.scans[0].bytes + 2);
  CHECK(told.is_complete());
  CHECK(told.scans[0].bytes == all.scans[0].bytes);
  CHECK(told.end == all.end);
  told.complete();
  CHECK(told.end == all.end);
}

TEST_CASE("A progressive picture has the scans that its encoder was told") {
  std::vector<jpeg_scan_info> wanted = {{1, {0}, 0, 0, 0, 1},  {1, {0}, 1, 5, 0, 2},
                                        {1, {0}, 6, 63, 0, 2}, {1, {0}, 1, 63, 2, 1},
                                        {1, {0}, 0, 0, 1, 0},  {1, {0}, 1, 63, 1, 0}};
  const Bytes file = make_jpeg({.space = JCS_GRAYSCALE, .scans = wanted});
  const JpegFile parsed(file);
  REQUIRE(parsed.scans.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(parsed.scans[i].first == wanted[i].Ss);
    CHECK(parsed.scans[i].last == wanted[i].Se);
    CHECK(parsed.scans[i].high == wanted[i].Ah);
    CHECK(parsed.scans[i].low == wanted[i].Al);
    CHECK(parsed.scans[i].bytes > 0);
    CHECK(std::ranges::equal(
        std::span(file).subspan(parsed.scans[i].data_at - 3, 3),
        bytes_of({wanted[i].Ss, wanted[i].Se, wanted[i].Ah * 16 + wanted[i].Al})));
  }
}

TEST_CASE("Markers between the scans belong to the picture's markers") {
  const Bytes file = make_jpeg({.one_scan_each = true, .markers = {{0xE5, bytes_of({1})}}});
  const JpegScan second = JpegFile(file).scans[1];
  // Before the header of the scan: a marker, a length and six bytes.
  const Bytes commented = with(file, second.data_at - 10, bytes_of({0xFF, 0xFE, 0, 4, 8, 9}));
  const JpegFile parsed(commented);
  CHECK(markers_of(parsed.markers) == std::vector<int>{0xE0, 0xE5, 0xFE});
  CHECK(std::ranges::equal(parsed.markers.back().payload, bytes_of({8, 9})));
  CHECK(parsed.segments.size() == JpegFile(file).segments.size());
  CHECK(parsed.scans.size() == 3);
}

TEST_CASE("Stray bytes, fill bytes and markers without a segment are passed over") {
  const Bytes file = make_jpeg({});
  for (const Bytes& stray : {bytes_of({0x12, 0x34}), bytes_of({0xFF}), bytes_of({0xFF, 0x00}),
                             bytes_of({0xFF, 0x01}), bytes_of({0xFF, 0xD3})}) {
    const JpegFile parsed(with(file, 2, stray));
    CHECK(parsed.segments.size() == JpegFile(file).segments.size());
    CHECK(parsed.scans.size() == 1);
    CHECK(parsed.end == file.size() + stray.size());
  }
}

TEST_CASE("A picture ends after its marker for it, wherever such a marker lies in a segment") {
  const Bytes file = make_jpeg({.markers = {{0xE5, bytes_of({0xFF, 0xD9, 0})}}});
  Bytes longer = file;
  const Bytes trailing = make_jpeg({.width = 16, .height = 16});
  longer.insert(longer.end(), trailing.begin(), trailing.end());
  const JpegFile parsed(longer);
  CHECK(parsed.end == file.size());
  CHECK(std::ranges::equal(parsed.trailing_data(), trailing));
  const Bytes cut(file.begin(), file.end() - 2);
  CHECK(JpegFile(cut).end == cut.size());
}

TEST_CASE("A header that is cut, damaged or missing is refused") {
  check_refusal({}, "is not a JPEG");
  check_refusal(bytes_of({'n', 'o', 'n', 'e'}), "is not a JPEG");
  check_refusal(bytes_of({0xFF, 0xD8}), "truncated before the picture begins");
  check_refusal(bytes_of({0xFF, 0xD8, 0xFF, 0xE0, 0, 9, 1}), "truncated before the picture begins");
  check_refusal(bytes_of({0xFF, 0xD8, 0xFF, 0xE0, 0, 1}), "damaged before the picture begins");
  check_refusal(bytes_of({0xFF, 0xD8, 0xFF, 0xD9}), "ends before the picture begins");
}

TEST_CASE("A file of more scans than are permitted is refused with their number") {
  Bytes file = make_jpeg({.space = JCS_GRAYSCALE});
  const JpegFile parsed(file);
  const JpegScan scan = parsed.scans.front();
  const Bytes again(file.begin() + static_cast<std::ptrdiff_t>(scan.data_at) - 10, file.end() - 2);
  file.resize(file.size() - 2);
  for (std::uint64_t i = 0; i < Limits{}.scans; ++i) {
    file.insert(file.end(), again.begin(), again.end());
  }
  file.insert(file.end(), {std::byte{0xFF}, std::byte{0xD9}, std::byte{7}});
  check_refusal(file, "201 scans, more than the limit of 200");
  const JpegFile many(file, {.scans = 201});
  CHECK(many.scans.size() == 201);
  CHECK(many.end == file.size() - 1);
}

}  // namespace jpeg_file_test
