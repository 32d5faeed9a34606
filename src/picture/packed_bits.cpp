#include "src/picture/packed_bits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

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

}  // namespace qturn
