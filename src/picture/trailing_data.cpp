#include "src/picture/trailing_data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn {
namespace {

// Some writers of TIFF leave a copy of a page's values after the last directory, or repeat the
// last bytes of a tile after it.
bool repeats_what_is_kept(std::span<const std::byte> kept, std::span<const std::byte> rest) {
  constexpr std::size_t fewest = 4, most = 64;
  return rest.size() >= fewest && rest.size() <= most &&
         std::search(kept.begin(), kept.end(), rest.begin(), rest.end()) != kept.end();
}

}  // namespace

std::size_t trailing_bytes(std::span<const std::byte> file, std::uint64_t end) {
  if (end >= file.size()) return 0;
  const auto rest = file.subspan(static_cast<std::size_t>(end));
  const bool is_padding =
      std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{0}; });
  if (is_padding || repeats_what_is_kept(file.first(static_cast<std::size_t>(end)), rest)) return 0;
  return rest.size();
}

void warn_of_trailing_data(std::span<const std::byte> file, std::uint64_t end,
                           std::vector<std::string>& warnings) {
  if (const std::size_t bytes = trailing_bytes(file, end); bytes > 0) {
    warnings.push_back(fmt::format("{} bytes after the picture are not kept", bytes));
  }
}

}  // namespace qturn
