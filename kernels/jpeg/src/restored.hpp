// Where the blocks of a decoded picture go, as the kernels see it.
#pragma once

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

/// How pixels share the samples of a component: `h_step` x `v_step` pixels to a sample. `width` x
/// `height` samples belong to the picture.
struct SharedSamples {
  std::uint32_t h_step = 1, v_step = 1, width = 0, height = 0;
};

struct RestoredPicture {
  BlockTiles tiles;
  RestoredComponent component[most_components];
  Plane pixels;  ///< of three bytes each; without samples if they are not wanted
  bool is_smooth = false, is_grey = false;
  SharedSamples shared[most_components];
};

}  // namespace qturn::jpeg
