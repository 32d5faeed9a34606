// Trailing data: bytes after the end of the picture in its file. Turned files of the formats that
// ask here do not have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace qturn {

/// How many bytes `file` has after `end`: 0 for those that warn_of_trailing_data() does not
/// mention.
std::size_t trailing_bytes(std::span<const std::byte> file, std::uint64_t end);

/// Warns of what `file` has after `end`, unless it is zeros, with which writers fill up words, or a
/// few bytes that stand before it in the same order.
void warn_of_trailing_data(std::span<const std::byte> file, std::uint64_t end,
                           std::vector<std::string>& warnings);

}  // namespace qturn
