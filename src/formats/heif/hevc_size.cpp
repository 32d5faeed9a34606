#include "src/formats/heif/hevc_size.hpp"

#include <array>
#include <cstdint>

#include "src/picture/bytes.hpp"

namespace qturn::heif {
namespace {

// ISO/IEC 14496-15, 8.3.3.1: 22 bytes, then arrays of units, each with its length before it.
std::span<const std::byte> parameter_set(std::span<const std::byte> configuration) {
  constexpr std::size_t fixed_bytes = 22, type_mask = 0x3F, sequence_type = 33;
  const auto has = [&](std::size_t at, std::size_t bytes) {
    return at <= configuration.size() && bytes <= configuration.size() - at;
  };
  if (!has(fixed_bytes, 1)) return {};
  std::size_t at = fixed_bytes + 1;
  for (std::uint64_t arrays = big_endian(configuration, fixed_bytes, 1); arrays > 0; --arrays) {
    if (!has(at, 3)) return {};
    const std::uint64_t type = big_endian(configuration, at, 1) & type_mask;
    std::uint64_t units = big_endian(configuration, at + 1, 2);
    for (at += 3; units > 0; --units) {
      if (!has(at, 2)) return {};
      const auto bytes = static_cast<std::size_t>(big_endian(configuration, at, 2));
      if (!has(at + 2, bytes)) return {};
      if (type == sequence_type) return configuration.subspan(at + 2, bytes);
      at += 2 + bytes;
    }
  }
  return {};
}

// The bits of a unit, from the first to the last. After the last there are zeros, and is_over().
class Bits {
 public:
  // Leaves out the threes that keep a start code from appearing (Rec. ITU-T H.265, 7.3.1.1).
  explicit Bits(std::span<const std::byte> unit) {
    int zeros = 0;
    for (const std::byte byte : unit) {
      const bool is_stuffed = zeros >= 2 && byte == std::byte{3};
      zeros = byte == std::byte{0} ? zeros + 1 : 0;
      if (!is_stuffed) bytes_.push_back(byte);
    }
  }

  bool is_over() const { return at_ > 8 * bytes_.size(); }
  void skip(std::size_t bits) { at_ += bits; }

  std::uint64_t number(int bits) {
    std::uint64_t value = 0;
    for (; bits > 0; --bits, ++at_) {
      const bool is_there = at_ / 8 < bytes_.size();
      const auto byte = is_there ? std::to_integer<unsigned>(bytes_[at_ / 8]) : 0U;
      value = value << 1 | (byte >> (7 - at_ % 8) & 1);
    }
    return value;
  }

  // Exponential Golomb: as many zeros as bits follow the next one.
  std::uint64_t golomb() {
    constexpr int most = 32;
    int zeros = 0;
    while (zeros < most && number(1) == 0) ++zeros;
    return (std::uint64_t{1} << zeros) - 1 + number(zeros);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

// H.265, 7.3.3: of the whole, and of each layer that has one.
void skip_profile(Bits& bits, std::uint64_t layers_less_one) {
  constexpr std::size_t profile_bits = 88, level_bits = 8;
  constexpr std::uint64_t most_layers = 8;
  bits.skip(profile_bits + level_bits);
  if (layers_less_one == 0) return;
  std::size_t skipped = 0;
  for (std::uint64_t i = 0; i < layers_less_one; ++i) {
    skipped += (bits.number(1) != 0 ? profile_bits : 0) + (bits.number(1) != 0 ? level_bits : 0);
  }
  bits.skip(2 * (most_layers - layers_less_one) + skipped);
}

}  // namespace

std::optional<Size> hevc_size(std::span<const std::byte> configuration) {
  constexpr std::size_t header_bytes = 2;
  const std::span<const std::byte> unit = parameter_set(configuration);
  if (unit.size() <= header_bytes) return std::nullopt;
  Bits bits(unit.subspan(header_bytes));
  bits.skip(4);  // the number of a video's parameters
  const std::uint64_t layers_less_one = bits.number(3);
  bits.skip(1);
  if (layers_less_one > 6) return std::nullopt;
  skip_profile(bits, layers_less_one);
  bits.golomb();  // its own number
  const std::uint64_t chroma = bits.golomb();
  constexpr std::uint64_t full_chroma = 3;
  if (chroma > full_chroma) return std::nullopt;
  if (chroma == full_chroma) bits.skip(1);
  std::uint64_t width = bits.golomb(), height = bits.golomb();
  if (bits.number(1) != 0) {
    // How many pixels share a sample of chroma, in which the window is counted.
    constexpr std::array<std::uint64_t, 4> across = {1, 2, 2, 1}, down = {1, 2, 1, 1};
    std::array<std::uint64_t, 4> cut{};  // left, right, top, bottom
    for (std::uint64_t& each : cut) each = bits.golomb();
    const std::uint64_t columns = across[chroma] * (cut[0] + cut[1]),
                        rows = down[chroma] * (cut[2] + cut[3]);
    if (columns >= width || rows >= height) return std::nullopt;
    width -= columns;
    height -= rows;
  }
  if (bits.is_over() || width == 0 || height == 0) return std::nullopt;
  return Size{static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
}

}  // namespace qturn::heif
