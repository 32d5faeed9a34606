// Where a row of a view begins.
#pragma once

#include <qturn/view.hpp>

#include <cstdint>

namespace qturn {

inline const std::uint8_t* row_of(ConstView view, std::int64_t y) {
  return static_cast<const std::uint8_t*>(view.data) + y * view.pitch;
}

inline std::uint8_t* row_of(View view, std::int64_t y) {
  return static_cast<std::uint8_t*>(view.data) + y * view.pitch;
}

}  // namespace qturn
