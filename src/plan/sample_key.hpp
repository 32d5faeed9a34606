// The key of a picture is its path below the output. That of its sample, by which variants are
// drawn and shards are dealt, is the same without the suffix.
#ifndef QTURN_SRC_PLAN_SAMPLE_KEY_HPP
#define QTURN_SRC_PLAN_SAMPLE_KEY_HPP

#include <cstddef>
#include <string_view>

namespace qturn {

/// "x/a" of "x/a.jpg". A dot that begins a name does not begin a suffix.
inline std::string_view sample_key(std::string_view key) {
  const std::size_t base = key.rfind('/') + 1, dot = key.rfind('.');
  return dot == std::string_view::npos || dot <= base ? key : key.substr(0, dot);
}

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_SAMPLE_KEY_HPP
