// Bytes of a file, and the same seen as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace qturn {

using Bytes = std::vector<std::byte>;

inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

inline void append(Bytes& to, std::string_view text) { append(to, bytes_of(text)); }

/// Whether all of them are, or there are none.
inline bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

// Unsigned numbers of 1 to 8 bytes in either byte order, which must lie within the bytes.

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
