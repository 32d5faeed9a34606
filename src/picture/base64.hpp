// Bytes as text, by RFC 4648: how labels and XMP hold pictures.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

inline constexpr std::string_view base64_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - at, 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<std::uint32_t>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? base64_alphabet[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

/// Nothing if a character is not of base64, or the padding is wrong.
inline std::optional<std::vector<std::byte>> bytes_of_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  const std::size_t end = text.size() - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0);
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const std::size_t value = base64_alphabet.find(text[i]);
    if (value == std::string_view::npos) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    // From the second character of four on, each completes a byte.
    if (i % 4 != 0) bytes.push_back(static_cast<std::byte>(group >> (6 - 2 * (i % 4)) & 255));
  }
  return bytes;
}

}  // namespace qturn
