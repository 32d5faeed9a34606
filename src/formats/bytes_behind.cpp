#include "src/formats/bytes_behind.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn {

void warn_of_bytes_behind(std::span<const std::byte> file, std::uint64_t end,
                          std::vector<std::string>& warnings) {
  if (end >= file.size()) return;
  const auto rest = file.subspan(static_cast<std::size_t>(end));
  const bool is_padding =
      std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{0}; });
  if (is_padding) return;
  warnings.push_back(fmt::format("{} bytes behind the picture are not kept", rest.size()));
}

}  // namespace qturn
