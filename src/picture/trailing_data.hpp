// Trailing data: bytes after the end of the picture in its file. Turned files of the formats that
// ask here do not have it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn {

/// How many bytes `file` has after `end`: 0 if warn_of_trailing_data() does not mention them.
inline std::size_t trailing_bytes(std::span<const std::byte> file, std::uint64_t end) {
  if (end >= file.size()) return 0;
  const auto kept = file.first(static_cast<std::size_t>(end)), rest = file.subspan(kept.size());
  if (all_zero(rest)) return 0;
  // Some writers of TIFF leave a copy of a page's values after the last directory, or repeat the
  // last bytes of a tile after it.
  constexpr std::size_t fewest = 4, most = 64;
  const bool repeats_what_is_kept =
      rest.size() >= fewest && rest.size() <= most &&
      std::search(kept.begin(), kept.end(), rest.begin(), rest.end()) != kept.end();
  return repeats_what_is_kept ? 0 : rest.size();
}

/// Warns of bytes of `file` after `end`. Not of zeros, with which writers fill up words, nor of a
/// few bytes that repeat the bytes before.
inline void warn_of_trailing_data(std::span<const std::byte> file, std::uint64_t end,
                                  std::vector<std::string>& warnings) {
  if (const std::size_t bytes = trailing_bytes(file, end); bytes > 0) {
    warnings.push_back(fmt::format("{} bytes after the picture are not kept", bytes));
  }
}

}  // namespace qturn
