// A turn on the CPU that can be given up: band after band, each a moment's work.
#pragma once

#include <qturn/cpu.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "src/picture/errors.hpp"

namespace qturn {

/// Does what transform() does, in bands of about `band_bytes`: a tenth of a second where memory is
/// slow. Throws Interrupted when `stop` is raised.
inline void turn_in_bands(ConstView src, View dst, Orientation orientation,
                          const std::atomic<bool>& stop,
                          std::int64_t band_bytes = std::int64_t{32} << 20) {
  constexpr std::int64_t whole_tiles = 64;
  const Size size{src.width, src.height};
  const std::int64_t rows =
      std::max<std::int64_t>(band_bytes / std::max<std::int64_t>(src.row_bytes(), 1) / whole_tiles,
                             1) *
      whole_tiles;
  for (std::int64_t top = 0; top < src.height; top += rows) {
    if (stop) throw Interrupted();
    const std::int64_t count = std::min(rows, src.height - top);
    const Position a = destination_of(orientation, {0, top}, size);
    const Position b = destination_of(orientation, {src.width - 1, top + count - 1}, size);
    const Size part = turned_size(orientation, {src.width, count});
    transform(sub_view(src, 0, top, src.width, count),
              sub_view(dst, std::min(a.x, b.x), std::min(a.y, b.y), part.width, part.height),
              orientation);
  }
}

}  // namespace qturn
