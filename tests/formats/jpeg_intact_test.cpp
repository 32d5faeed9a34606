// Whether data is whole, said as by a reader that takes it bit by bit.
#include "src/formats/jpeg/hardware/intact.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <deque>
#include <optional>
#include <random>

#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "tests/jpeg_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;

/// The one scan of a file, and what its header says of it.
struct Scan {
  explicit Scan(const Bytes& file) {
    const JpegDecoder decoder(file, nullptr);
    const jpeg_decompress_struct& info = decoder.info;
    for (int i = 0; i < 3; ++i) {
      const jpeg_component_info& component = info.comp_info[i];
      const auto& dc =
          tables.emplace_back(huffman_table_of(*info.dc_huff_tbl_ptrs[component.dc_tbl_no]));
      const auto& ac =
          tables.emplace_back(huffman_table_of(*info.ac_huff_tbl_ptrs[component.ac_tbl_no]));
      components.push_back({component.h_samp_factor * component.v_samp_factor, &dc, &ac});
    }
    const auto count = [](JDIMENSION size, int factor) {
      const auto unit = static_cast<JDIMENSION>(8 * factor);
      return (size + unit - 1) / unit;
    };
    mcus = std::uint64_t{count(info.image_width, info.max_h_samp_factor)} *
           count(info.image_height, info.max_v_samp_factor);
    const auto rest = decoder.file.bytes.subspan(decoder.file.scans.front().data_at);
    data.assign(rest.begin(), rest.end());
  }
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  std::deque<JpegHuffmanTable> tables;
  std::vector<BaselineComponent> components;
  std::uint64_t mcus;
  Bytes data;
};

/// ITU T.81, annex F.2.2, as it stands there.
class BitByBit {
 public:
  explicit BitByBit(std::span<const std::byte> data) : data_(data) {}

  bool block(const BaselineComponent& component) {
    const auto size = symbol(*component.dc);
    if (!size || *size > 11 || !skip(*size)) return false;
    for (unsigned k = 1; k < 64; ++k) {
      const auto code = symbol(*component.ac);
      if (!code) return false;
      const unsigned run = *code >> 4, bits = *code & 15;
      if (bits > 10 || (bits == 0 && run != 0 && run != 15)) return false;
      if (*code == 0) return true;
      k += run;
      if (k > 63 || !skip(bits)) return false;
    }
    return true;
  }

  /// Where the marker ends that follows, if it is EOI and less than a byte is left before it.
  std::optional<std::size_t> end() const {
    const auto byte = [&](std::size_t at) {
      return at < data_.size() ? std::to_integer<int>(data_[at]) : -1;
    };
    if (byte(at_) != 0xFF || byte(at_ + 1) != 0xD9) return std::nullopt;
    return at_ + 2;
  }

 private:
  std::optional<unsigned> bit() {
    if (left_ == 0) {
      if (at_ >= data_.size()) return std::nullopt;
      byte_ = std::to_integer<unsigned>(data_[at_]);
      if (byte_ == 0xFF && (at_ + 1 >= data_.size() || data_[at_ + 1] != std::byte{0})) {
        return std::nullopt;
      }
      at_ += byte_ == 0xFF ? 2 : 1;
      left_ = 8;
    }
    return byte_ >> --left_ & 1;
  }
  bool skip(unsigned bits) {
    for (; bits > 0; --bits) {
      if (!bit()) return false;
    }
    return true;
  }
  std::optional<unsigned> symbol(const JpegHuffmanTable& table) {
    unsigned code = 0, first = 0, before = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      const auto next = bit();
      if (!next) return std::nullopt;
      code = code << 1 | *next;
      if (code - first < table.bits[length]) return table.symbols[before + code - first];
      before += table.bits[length];
      first = (first + table.bits[length]) << 1;
    }
    return std::nullopt;
  }

  std::span<const std::byte> data_;
  std::size_t at_ = 0;
  unsigned byte_ = 0, left_ = 0;
};

std::optional<std::size_t> end_bit_by_bit(const Scan& scan, std::span<const std::byte> data) {
  BitByBit reader(data);
  for (std::uint64_t mcu = 0; mcu < scan.mcus; ++mcu) {
    for (const BaselineComponent& component : scan.components) {
      for (int i = 0; i < component.blocks; ++i) {
        if (!reader.block(component)) return std::nullopt;
      }
    }
  }
  return reader.end();
}

std::optional<std::size_t> end(const Scan& scan, std::span<const std::byte> data) {
  std::size_t after = 0;
  if (!is_intact(data, scan.components, scan.mcus, after)) return std::nullopt;
  return after;
}

}  // namespace

TEST_CASE("Damage of every kind is found as by a reader that takes the data bit by bit") {
  // The last two are large enough for a second walker from the middle.
  const auto [side, quality] =
      GENERATE(table<int, int>({{72, 30}, {72, 100}, {640, 90}, {400, 100}}));
  const auto [h, v] = GENERATE(table<int, int>({{1, 1}, {2, 1}, {2, 2}}));
  const auto optimised = GENERATE(false, true);
  const Scan scan(make_jpeg({.width = side,
                             .height = side + 5,
                             .h = h,
                             .v = v,
                             .quality = quality,
                             .optimised = optimised}));
  INFO(scan.data.size() << " bytes, " << h << "x" << v << ", optimised " << optimised);
  REQUIRE(end(scan, scan.data) == scan.data.size());
  std::mt19937 random(1);
  const auto any = [&](std::size_t below) { return random() % below; };
  int whole = 0, damaged = 0;
  for (int i = 0; i < (side < 100 ? 150 : 30); ++i) {
    Bytes data = scan.data;
    // Everywhere, around the middle and at the end.
    const std::size_t middle = data.size() / 2 - std::min<std::size_t>(data.size() / 2, 300);
    const std::size_t from = i % 3 == 0 ? 0 : i % 3 == 1 ? middle : data.size() - 20;
    const std::size_t at =
        from + any(std::min<std::size_t>(data.size() - from, i % 3 == 0 ? data.size() : 600));
    const auto place = data.begin() + static_cast<std::ptrdiff_t>(at);
    switch (any(5)) {
      case 0:
        *place ^= static_cast<std::byte>(1 << any(8));
        break;
      case 1:
        *place = std::byte{0xFF};
        break;
      case 2:
        data.erase(place);
        break;
      case 3:
        data.insert(place, static_cast<std::byte>(any(256)));
        break;
      default:
        data.erase(place, data.end());
        data.insert(data.end(), {std::byte{0xFF}, std::byte{0xD9}});
    }
    // What follows the picture moves the middle of it all.
    if (any(4) == 0) data.resize(data.size() * 2, std::byte{0x12});
    const auto expected = end_bit_by_bit(scan, data);
    ++(expected ? whole : damaged);
    INFO("change " << i << " at " << at);
    CHECK(end(scan, data) == expected);
  }
  CHECK((whole > 0 || side >= 100));
  CHECK(damaged > 0);
}

TEST_CASE("A block too few or too many is damage") {
  const auto side = GENERATE(72, 640);
  Scan scan(make_jpeg({.width = side, .height = side, .h = 2, .v = 2}));
  const std::uint64_t mcus = scan.mcus;
  REQUIRE(end(scan, scan.data));
  for (const std::uint64_t other : {mcus - 1, mcus + 1, mcus / 2, mcus / 2 + 1, 2 * mcus}) {
    scan.mcus = other;
    CHECK_FALSE(end(scan, scan.data));
  }
}

TEST_CASE("Tables that are not a prefix code make every data damaged") {
  Scan scan(make_jpeg({.width = 72, .height = 72}));
  REQUIRE(end(scan, scan.data));
  SECTION("too many codes of a length") { scan.tables[0].bits[2] = 4; }
  SECTION("more codes than there are symbols") { scan.tables[1].bits[16] = 255; }
  SECTION("a DC value of more bits than there are") { scan.tables[0].symbols[11] = 17; }
  CHECK_FALSE(end(scan, scan.data));
}

TEST_CASE("Data of nothing is damaged") {
  const Scan scan(make_jpeg({.width = 72, .height = 72}));
  CHECK_FALSE(end(scan, {}));
  const Bytes eoi{std::byte{0xFF}, std::byte{0xD9}};
  CHECK_FALSE(end(scan, eoi));
  CHECK_FALSE(end(scan, std::span(eoi).first(1)));
}
