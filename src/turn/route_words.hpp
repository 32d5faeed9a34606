// What a Route is called, in machine-readable lines and in Python.
#pragma once

#include <qturn/pictures.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace qturn {

/// In the order of Route.
inline constexpr std::array<const char*, 8> route_words = {
    "none", "reencoded", "planar", "lossless", "trimmed", "tagged", "copied", "skipped"};
static_assert(static_cast<std::size_t>(Route::skipped) == route_words.size() - 1);

inline const char* word(Route route) { return route_words[static_cast<std::size_t>(route)]; }

inline std::optional<Route> route_of(std::string_view word) {
  const auto* found = std::ranges::find(route_words, word);
  if (found == route_words.end()) return std::nullopt;
  return static_cast<Route>(found - route_words.begin());
}

}  // namespace qturn
