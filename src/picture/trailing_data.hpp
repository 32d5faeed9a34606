// Trailing data: bytes after the end of the picture in its file. Turned files of the formats that
// ask here do not have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace qturn {

/// How many bytes `file` has after `end`: 0 if warn_of_trailing_data() does not mention them.
std::size_t trailing_bytes(std::span<const std::byte> file, std::uint64_t end);

/// Warns of bytes of `file` after `end`. Not of zeros, with which writers fill up words, nor of a
/// few bytes that repeat the bytes before.
void warn_of_trailing_data(std::span<const std::byte> file, std::uint64_t end,
                           std::vector<std::string>& warnings);

}  // namespace qturn
