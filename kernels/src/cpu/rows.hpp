// Where a row of a view begins, and which part of a view rows come from.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cstdint>

namespace qturn {

inline const std::uint8_t* row_of(ConstView view, std::int64_t y) {
  return static_cast<const std::uint8_t*>(view.data) + y * view.pitch;
}

inline std::uint8_t* row_of(View view, std::int64_t y) {
  return static_cast<std::uint8_t*>(view.data) + y * view.pitch;
}

/// The part of `src` that rows `y` to `y + rows` of the result show.
inline ConstView part_of(ConstView src, Reading r, std::int64_t y, std::int64_t rows) {
  if (r.swap_axes)
    return sub_view(src, r.from_right ? src.width - y - rows : y, 0, rows, src.height);
  return sub_view(src, 0, r.from_bottom ? src.height - y - rows : y, src.width, rows);
}

}  // namespace qturn
