// What stands in a file behind all that its picture is made of: a turned one does not have it.
#ifndef QTURN_SRC_FORMATS_BYTES_BEHIND_HPP
#define QTURN_SRC_FORMATS_BYTES_BEHIND_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace qturn {

/// Warns of what `file` has behind `end`, unless it is zeros, with which writers fill up words, or
/// a few bytes that stand before it in the same order.
void warn_of_bytes_behind(std::span<const std::byte> file, std::uint64_t end,
                          std::vector<std::string>& warnings);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_BYTES_BEHIND_HPP
