#include "src/picture/packed_pixels.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {
namespace {

// Up to 8 bits, which may lie in two bytes. If they lie in one, the second byte is not read.
std::uint8_t bits_at(const std::uint8_t* row, std::int64_t bit, int bits) {
  const std::uint8_t* from = row + bit / 8;
  const int end = static_cast<int>(bit % 8) + bits;
  const int both = end <= 8 ? from[0] << 8 : from[0] << 8 | from[1];
  return static_cast<std::uint8_t>(both >> (16 - end) & ((1 << bits) - 1));
}

void put_bits(std::uint8_t* row, std::int64_t bit, int bits, int value) {
  std::uint8_t* to = row + bit / 8;
  const int end = static_cast<int>(bit % 8) + bits;
  const int both = value << (16 - end);
  to[0] |= static_cast<std::uint8_t>(both >> 8);
  if (end > 8) to[1] |= static_cast<std::uint8_t>(both & 0xFF);
}

}  // namespace

void unpack_bits(const std::uint8_t* row, int bits, std::int64_t count, std::uint8_t* to,
                 std::int64_t step) {
  if (bits % 8 == 0) {
    const std::int64_t bytes = bits / 8;
    if (bytes == step) {
      std::memmove(to, row, static_cast<std::size_t>(bytes * count));
      return;
    }
    for (; count > 0; --count, row += bytes, to += step) {
      std::memcpy(to, row, static_cast<std::size_t>(bytes));
    }
    return;
  }
  if (bits < 8) {
    for (std::int64_t i = 0; i < count; ++i, to += step) *to = bits_at(row, i * bits, bits);
    return;
  }
  std::int64_t bit = 0;
  for (; count > 0; --count, to += step) {
    std::uint8_t* byte = to;
    for (int left = bits; left > 0; left -= 8) {
      const int part = std::min(left, 8);
      *byte++ = bits_at(row, bit, part);
      bit += part;
    }
  }
}

void pack_bits(const std::uint8_t* from, std::int64_t step, int bits, std::int64_t count,
               std::uint8_t* row) {
  if (bits % 8 == 0) {
    const std::int64_t bytes = bits / 8;
    if (bytes == step) {
      std::memmove(row, from, static_cast<std::size_t>(bytes * count));
      return;
    }
    for (; count > 0; --count, row += bytes, from += step) {
      std::memcpy(row, from, static_cast<std::size_t>(bytes));
    }
    return;
  }
  std::fill_n(row, static_cast<std::size_t>((count * bits + 7) / 8), std::uint8_t{0});
  if (bits < 8) {
    for (std::int64_t i = 0; i < count; ++i, from += step) put_bits(row, i * bits, bits, *from);
    return;
  }
  std::int64_t bit = 0;
  for (; count > 0; --count, from += step) {
    const std::uint8_t* byte = from;
    for (int left = bits; left > 0; left -= 8) {
      const int part = std::min(left, 8);
      put_bits(row, bit, part, *byte++);
      bit += part;
    }
  }
}

namespace {

// The scaled value of each value that a channel can have.
template <typename Sample>
struct Scale {
  std::uint32_t mask;
  int shift;
  std::vector<Sample> values;

  explicit Scale(std::uint32_t bits) : mask(bits), shift(bits == 0 ? 0 : std::countr_zero(bits)) {
    const std::uint64_t most = mask >> shift, full = static_cast<Sample>(-1);
    for (std::uint64_t value = 0; value <= most; ++value) {
      values.push_back(static_cast<Sample>(most == 0 ? 0 : (value * full + most / 2) / most));
    }
  }
  Sample operator()(std::uint32_t pixel) const { return values[(pixel & mask) >> shift]; }
};

template <typename Sample>
void expand(const ChannelMasks& masks, std::span<const std::byte> from, std::size_t pixel_bytes,
            Sample* to) {
  std::vector<Scale<Sample>> scales;
  for (int channel = 0; channel < masks.channels(); ++channel) {
    scales.emplace_back(masks.of[static_cast<std::size_t>(channel)]);
  }
  for (std::size_t at = 0; at + pixel_bytes <= from.size(); at += pixel_bytes) {
    const auto pixel = static_cast<std::uint32_t>(little_endian(from, at, pixel_bytes));
    for (const Scale<Sample>& scale : scales) *to++ = scale(pixel);
  }
}

}  // namespace

SampleFormat ChannelMasks::type() const {
  const bool any_wide =
      std::ranges::any_of(of, [](std::uint32_t mask) { return std::popcount(mask) > 8; });
  return any_wide ? SampleFormat::u16 : SampleFormat::u8;
}

bool ChannelMasks::can_expand() const {
  return std::ranges::all_of(of, [](std::uint32_t mask) {
    if (mask == 0) return true;
    const std::uint32_t low = mask >> std::countr_zero(mask);
    return std::popcount(mask) <= 16 && (low & (low + 1)) == 0;
  });
}

void expand_channels(const ChannelMasks& masks, std::span<const std::byte> from,
                     std::size_t pixel_bytes, void* to) {
  if (masks.type() == SampleFormat::u8) {
    expand(masks, from, pixel_bytes, static_cast<std::uint8_t*>(to));
  } else {
    expand(masks, from, pixel_bytes, static_cast<std::uint16_t*>(to));
  }
}

Bits bits_everywhere(std::span<const std::byte> pixels, std::size_t pixel_bytes,
                     std::uint32_t mask) {
  bool all_zeros = true, all_ones = true;
  for (std::size_t at = 0; at + pixel_bytes <= pixels.size(); at += pixel_bytes) {
    const auto bits = static_cast<std::uint32_t>(little_endian(pixels, at, pixel_bytes)) & mask;
    all_zeros = all_zeros && bits == 0;
    all_ones = all_ones && bits == mask;
  }
  return all_zeros ? Bits::zeros : all_ones ? Bits::ones : Bits::mixed;
}

}  // namespace qturn
