// Unsigned numbers of 1 to 8 bytes in either byte order, which must lie within the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace qturn {

inline std::uint64_t big_endian(std::span<const std::byte> bytes, std::size_t at,
                                std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  }
  return value;
}

inline std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t at,
                                   std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  }
  return value;
}

inline void put_big_endian(std::span<std::byte> bytes, std::size_t at, std::size_t count,
                           std::uint64_t value) {
  for (std::size_t i = count; i-- > 0; value >>= 8) {
    bytes[at + i] = static_cast<std::byte>(value & 0xFF);
  }
}

inline void put_little_endian(std::span<std::byte> bytes, std::size_t at, std::size_t count,
                              std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i, value >>= 8) {
    bytes[at + i] = static_cast<std::byte>(value & 0xFF);
  }
}

}  // namespace qturn
