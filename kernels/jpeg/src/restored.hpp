// What becomes of the blocks of a picture that is decoded, as the kernels see it.
#ifndef QTURN_KERNELS_JPEG_RESTORED_HPP
#define QTURN_KERNELS_JPEG_RESTORED_HPP

#include <cstddef>
#include <cstdint>

#include "kernels/jpeg/src/layout.hpp"

namespace qturn::jpeg {

/// Tiles of `wide` x `high` blocks, which cover all components one after the other. A block of
/// threads takes one.
struct BlockTiles {
  std::uint32_t wide = 1, high = 1;
  std::uint32_t in_row[most_components]{};
  std::uint32_t first[most_components + 1]{};  ///< of a component; after the last one, all

  struct At {
    std::uint32_t which = 0;
    Place place;  ///< of its first block
  };

  constexpr std::uint32_t count() const { return first[most_components]; }
  constexpr At at(std::uint32_t tile) const {
    std::uint32_t which = 0;
    while (tile >= first[which + 1]) ++which;
    const std::uint32_t within = tile - first[which];
    return {which, {within % in_row[which] * wide, within / in_row[which] * high}};
  }
};

constexpr BlockTiles tiles_of(const Layout& layout, std::uint32_t wide, std::uint32_t high) {
  BlockTiles tiles;
  tiles.wide = wide;
  tiles.high = high;
  for (std::uint32_t i = 0; i < most_components; ++i) {
    tiles.first[i + 1] = tiles.first[i];
    if (i >= layout.components) continue;
    const Component& component = layout.component[i];
    tiles.in_row[i] = (component.width + wide - 1) / wide;
    tiles.first[i + 1] += tiles.in_row[i] * ((component.height + high - 1) / high);
  }
  return tiles;
}

/// The samples of a component. Rows are `pitch` bytes apart.
struct Plane {
  std::uint8_t* samples = nullptr;
  std::int64_t pitch = 0;
  std::uint32_t width = 0, height = 0;

  constexpr std::uint8_t* row(std::uint32_t y) const { return samples + std::int64_t{y} * pitch; }
};

/// One that has whole blocks, without memory yet.
constexpr Plane plane_for(const Component& component) {
  constexpr std::uint32_t side = 8;
  return {nullptr, std::int64_t{component.width} * side, component.width * side,
          component.height * side};
}

constexpr std::size_t plane_bytes(const Plane& plane) {
  return static_cast<std::size_t>(plane.pitch) * plane.height;
}

/// Blocks of a tile while they are restored.
inline constexpr std::uint32_t restored_side_by_side = 32;

struct RestoredComponent {
  std::uint16_t steps[64]{};
  std::uint8_t* coefficients = nullptr;  ///< rows of blocks, `coefficient_pitch` bytes apart
  std::int64_t coefficient_pitch = 0;
  Plane plane;  ///< without samples if they are not wanted

  constexpr bool is_wanted() const { return coefficients || plane.samples; }
};

struct RestoredPicture {
  BlockTiles tiles;
  RestoredComponent component[most_components];
  Plane pixels;  ///< of three bytes each; without samples if they are not wanted
  std::uint32_t h_step[most_components]{},
      v_step[most_components]{};  ///< pixels that share a sample
};

struct Rgb {
  std::uint32_t r, g, b;
};

constexpr std::uint32_t clamped(std::int32_t value) {
  return static_cast<std::uint32_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// libjpeg's conversion, which rounds each product (those of G together).
constexpr Rgb rgb_of(std::int32_t y, std::int32_t cb, std::int32_t cr) {
  constexpr std::int32_t middle = 128, half = 1 << 15;
  // 1.402, 1.772, 0.34414 and 0.71414 in 16 bits.
  constexpr std::int32_t r_cr = 91881, b_cb = 116130, g_cb = 22554, g_cr = 46802;
  cb -= middle;
  cr -= middle;
  return {clamped(y + ((r_cr * cr + half) >> 16)),
          clamped(y + ((half - g_cb * cb - g_cr * cr) >> 16)),
          clamped(y + ((b_cb * cb + half) >> 16))};
}

}  // namespace qturn::jpeg

#endif  // QTURN_KERNELS_JPEG_RESTORED_HPP
