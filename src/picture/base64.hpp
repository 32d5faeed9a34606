// Bytes as text, by RFC 4648: how labels and XMP hold pictures.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

std::string base64(std::span<const std::byte> bytes);

/// Nothing if a character is not of base64, or the padding is wrong.
std::optional<std::vector<std::byte>> bytes_of_base64(std::string_view text);

}  // namespace qturn
