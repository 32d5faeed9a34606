// Bytes of a file, and the same seen as text.
#pragma once

#include <cstddef>
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

}  // namespace qturn
