// Headers of JPEGs as a GPU is told of them: what libjpeg reads in the same file.
#include <qturn/jpeg_header.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

#include "kernels/jpeg/src/turn.hpp"
#include "src/files/safe_file.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/kernels/jpeg/scans.hpp"

namespace qturn::tests::jpeg_header_test {
namespace {

JpegHeader header_of_file(const Bytes& file) { return read_jpeg_header(file.data(), file.size()); }

/// Why a file is refused; nothing if it is not.
std::optional<JpegRefusal> why_refused(const Bytes& file) {
  try {
    header_of_file(file);
  } catch (const JpegRefused& refused) {
    INFO(refused.what());
    CHECK(std::string(refused.what()).size() > 8);
    return refused.why();
  }
  return std::nullopt;
}

void check_as_libjpeg(const Bytes& file) {
  const JpegHeader header = header_of_file(file);
  const JpegDecoder decoder{std::span<const std::byte>(file)};
  const jpeg_decompress_struct& info = decoder.info;
  CHECK(header.scan.size == Size{info.image_width, info.image_height});
  CHECK(header.scan.restart_interval == info.restart_interval);
  CHECK(header.is_ycbcr == (info.jpeg_color_space == JCS_YCbCr));
  CHECK(header.data_at == file.size() - info.src->bytes_in_buffer);
  REQUIRE(header.scan.components == info.comps_in_scan);
  const JpegScanDecode decode = header.to_decode();
  const JpegPlanarTurn turn = header.to_turn_by_planes(Orientation::rotate90);
  for (int i = 0; i < info.comps_in_scan; ++i) {
    INFO("component " << i);
    const jpeg_component_info& wanted = *info.cur_comp_info[i];
    const auto& component = header.scan.component[i];
    CHECK(component.h == wanted.h_samp_factor);
    CHECK(component.v == wanted.v_samp_factor);
    CHECK(component.dc == huffman_table_of(*info.dc_huff_tbl_ptrs[wanted.dc_tbl_no]));
    CHECK(component.ac == huffman_table_of(*info.ac_huff_tbl_ptrs[wanted.ac_tbl_no]));
    CHECK(decode.src.component[i].ac == component.ac);
    CHECK(turn.src.component[i].ac == component.ac);
    const UINT16* steps = info.quant_tbl_ptrs[wanted.quant_tbl_no]->quantval;
    CHECK(std::equal(header.steps[i].begin(), header.steps[i].end(), steps));
    CHECK(decode.component[i].steps == header.steps[i]);
    CHECK(turn.steps[i] == header.steps[i]);
    CHECK(turn.dc_table[i] == wanted.dc_tbl_no);
    CHECK(turn.ac_table[i] == wanted.ac_tbl_no);
  }
  CHECK(turn.restart_interval == info.restart_interval);
}

Bytes with_byte(Bytes file, std::size_t at, int value) {
  file[at] = static_cast<std::byte>(value);
  return file;
}

/// The segment of a file with this marker.
JpegSegment segment_of(const Bytes& file, unsigned char marker) {
  JpegMarkers markers{std::span<const std::byte>(file)};
  for (auto segment = markers.next(); segment; segment = markers.next()) {
    if (segment->marker == marker) return *segment;
  }
  throw std::invalid_argument("no such segment");
}

TEST_CASE("headers of all kinds are read as libjpeg reads them") {
  for (JpegPicture kind : one_scan_kinds()) {
    INFO("sampling " << kind.h << "x" << kind.v << ", space " << kind.space);
    check_as_libjpeg(make_jpeg(kind));
  }
  check_as_libjpeg(make_jpeg({.quality = 1, .first_id = 0}));  // steps of two bytes
  check_as_libjpeg(make_jpeg({.space = JCS_RGB, .first_id = 'R'}));
  // What follows the header does not matter.
  Bytes cut = make_jpeg({});
  cut.resize(header_of_file(cut).data_at);
  check_as_libjpeg(cut);
}

TEST_CASE("headers of photographs are read as libjpeg reads them") {
  int photographs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources() / "testdata")) {
    if (entry.path().extension() != ".jpg") continue;
    INFO(entry.path().string());
    const Bytes file = read_file(entry.path());
    if (JpegDecoder{std::span<const std::byte>(file)}.info.progressive_mode) {
      CHECK(why_refused(file) == JpegRefusal::progressive);
    } else {
      check_as_libjpeg(file);
      ++photographs;
    }
  }
  CHECK(photographs >= 3);
}

TEST_CASE("colours are those that libjpeg sees, by JFIF, Adobe and the components' names") {
  const Bytes jfif = make_jpeg({}), adobe = make_jpeg({.space = JCS_RGB});
  check_as_libjpeg(jfif);
  check_as_libjpeg(adobe);
  CHECK(header_of_file(jfif).is_ycbcr);
  CHECK_FALSE(header_of_file(adobe).is_ycbcr);
  const std::size_t name_at = segment_of(jfif, 0xE0).offset;
  const Bytes nameless = with_byte(jfif, name_at, 'x');
  check_as_libjpeg(nameless);
  const JpegSegment frame = segment_of(jfif, 0xC0), scan = segment_of(jfif, 0xDA);
  const auto named_rgb = [&](Bytes file) {
    for (std::size_t i = 0; i < 3; ++i) {
      file[frame.offset + 6 + 3 * i] = file[scan.offset + 1 + 2 * i] =
          static_cast<std::byte>("RGB"[i]);
    }
    return file;
  };
  check_as_libjpeg(named_rgb(jfif));
  const Bytes rgb = named_rgb(nameless);
  check_as_libjpeg(rgb);
  CHECK_FALSE(header_of_file(rgb).is_ycbcr);
  for (const int transform : {0, 1, 2})
    check_as_libjpeg(with_byte(adobe, segment_of(adobe, 0xEE).offset + 11, transform));
}

TEST_CASE("what a GPU does not take is refused by its name") {
  const Bytes plain = make_jpeg({.h = 2, .v = 2});
  const JpegSegment frame = segment_of(plain, 0xC0), scan = segment_of(plain, 0xDA);
  const auto with_type = [&](int marker) { return with_byte(plain, frame.offset - 3, marker); };
  CHECK_FALSE(why_refused(plain));
  CHECK_FALSE(why_refused(with_type(0xC1)));
  CHECK(why_refused(Bytes{}) == JpegRefusal::not_a_jpeg);
  CHECK(why_refused(Bytes(6, std::byte{0xFF})) == JpegRefusal::not_a_jpeg);
  CHECK(why_refused(make_jpeg({.progressive = true})) == JpegRefusal::progressive);
  CHECK(why_refused(make_jpeg({.one_scan_each = true})) == JpegRefusal::several_scans);
  CHECK(why_refused(with_type(0xC9)) == JpegRefusal::arithmetic);
  CHECK(why_refused(with_type(0xCA)) == JpegRefusal::arithmetic);
  CHECK(why_refused(with_type(0xC3)) == JpegRefusal::lossless);
  CHECK(why_refused(with_type(0xCF)) == JpegRefusal::lossless);
  CHECK(why_refused(with_type(0xC5)) == JpegRefusal::hierarchical);
  CHECK(why_refused(with_type(0xCE)) == JpegRefusal::hierarchical);
  CHECK(why_refused(with_type(0xDE)) == JpegRefusal::hierarchical);
  CHECK(why_refused(with_byte(plain, frame.offset, 12)) == JpegRefusal::sample_bits);
  CHECK(why_refused(with_byte(plain, frame.offset + 5, 4)) == JpegRefusal::damaged_header);
  CHECK(why_refused(with_byte(plain, frame.offset + 7, 0x51)) == JpegRefusal::components);
  CHECK(why_refused(with_byte(plain, frame.offset + 7, 0x44)) == JpegRefusal::components);
  CHECK(why_refused(with_byte(plain, frame.offset + 8, 3)) == JpegRefusal::tables);
  CHECK(why_refused(with_byte(plain, scan.offset + 2, 0x33)) == JpegRefusal::tables);
  CHECK(why_refused(with_byte(plain, scan.offset + 1, 77)) == JpegRefusal::damaged_header);
  CHECK(why_refused(with_byte(plain, scan.offset + 8, 62)) == JpegRefusal::damaged_header);
  const JpegSegment table = segment_of(plain, 0xC4);
  CHECK(why_refused(with_byte(plain, table.offset + 1, 3)) == JpegRefusal::tables);
  Bytes no_height = plain;
  no_height[frame.offset + 1] = no_height[frame.offset + 2] = std::byte{0};
  CHECK(why_refused(no_height) == JpegRefusal::no_size);
  Bytes cut = plain;
  for (cut.resize(scan.offset + scan.payload.size() - 1); cut.size() > 2; cut.pop_back())
    REQUIRE(why_refused(cut) == JpegRefusal::damaged_header);
}

TEST_CASE("a header with changed bytes is refused, or its scan has a layout") {
  std::mt19937 random(20261126);
  int read = 0;
  for (const JpegPicture& kind : one_scan_kinds()) {
    const Bytes plain = make_jpeg(kind);
    const std::size_t bytes = header_of_file(plain).data_at;
    for (int round = 0; round < 300; ++round) {
      Bytes file = plain;
      for (int n = 0; n < 2; ++n) file[random() % bytes] = static_cast<std::byte>(random() % 256);
      if (why_refused(file)) continue;
      ++read;
      REQUIRE_NOTHROW(jpeg::layout_of(header_of_file(file).scan));
    }
  }
  CHECK(read > 1000);
}

TEST_CASE("faults are named") {
  const JpegFaults none, two{static_cast<std::uint32_t>(JpegFault::marker) |
                             static_cast<std::uint32_t>(JpegFault::synchronisation)};
  CHECK_FALSE(none.any());
  CHECK(none.text().empty());
  CHECK(two.any());
  CHECK(two.has(JpegFault::marker));
  CHECK_FALSE(two.has(JpegFault::range));
  CHECK_FALSE(two == JpegFault::marker);
  CHECK(JpegFaults{32} == JpegFault::range);
  CHECK(two.text() == "a marker is wrong or missing, the codes did not synchronise");
}

}  // namespace
}  // namespace qturn::tests::jpeg_header_test
