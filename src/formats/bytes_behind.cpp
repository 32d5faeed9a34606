#include "src/formats/bytes_behind.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn {
namespace {

// Some writers of TIFF leave a copy of a page's values behind the last directory, or repeat the
// last bytes of a tile behind it.
bool repeats_what_is_kept(std::span<const std::byte> kept, std::span<const std::byte> rest) {
  constexpr std::size_t fewest = 4, most = 64;
  return rest.size() >= fewest && rest.size() <= most && !std::ranges::search(kept, rest).empty();
}

}  // namespace

void warn_of_bytes_behind(std::span<const std::byte> file, std::uint64_t end,
                          std::vector<std::string>& warnings) {
  if (end >= file.size()) return;
  const auto rest = file.subspan(static_cast<std::size_t>(end));
  const bool is_padding =
      std::ranges::all_of(rest, [](std::byte byte) { return byte == std::byte{0}; });
  if (is_padding || repeats_what_is_kept(file.first(static_cast<std::size_t>(end)), rest)) return;
  warnings.push_back(fmt::format("{} bytes behind the picture are not kept", rest.size()));
}

}  // namespace qturn
