// zlib streams beside pictures: labels hold PNGs in them. formats/png/zlib.cpp does it, as for
// PNGs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace qturn {

/// What a stream holds; nothing if it is damaged, or holds more than `limit` bytes.
std::optional<std::vector<std::byte>> bytes_of_zlib(std::span<const std::byte> stream,
                                                    std::size_t limit);

std::vector<std::byte> zlib_of(std::span<const std::byte> bytes);

}  // namespace qturn
