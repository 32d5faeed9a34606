// Where the blocks of a scan are: in the picture, and in the order of the scan, in which the coder
// keeps them. A turned picture's blocks are looked up where the source has them; nothing is moved.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>

#include "kernels/jpeg/src/t81.hpp"

namespace qturn::jpeg {

inline constexpr std::uint32_t no_block = ~0u;

/// `number`, below 98,304, divided by a sampling factor.
constexpr std::uint32_t divided(std::uint32_t number, std::uint32_t factor) {
  return factor == 3 ? number * 43691 >> 17 : number >> factor / 2;
}

struct Component {
  std::uint32_t h = 1, v = 1;           ///< blocks in an MCU
  std::uint32_t first = 0;              ///< block of an MCU
  std::uint32_t width = 0, height = 0;  ///< in blocks, without those that only fill an MCU
};

/// A block of a component, counted from the upper left one.
struct Place {
  std::uint32_t x = 0, y = 0;
};

struct Layout {
  std::uint32_t mcus_wide = 0, mcus = 0, blocks_in_mcu = 0, components = 0;
  std::uint32_t mcus_in_segment = 0;  ///< between restart markers
  Component component[most_components];
  std::uint8_t component_of[most_blocks_in_mcu]{};  ///< by the block of an MCU

  struct Factors {
    std::uint32_t h = 1, v = 1;
  };
  constexpr Factors largest_factors() const {
    Factors largest;
    for (std::uint32_t i = 0; i < components; ++i) {
      if (component[i].h > largest.h) largest.h = component[i].h;
      if (component[i].v > largest.v) largest.v = component[i].v;
    }
    return largest;
  }
  constexpr std::uint32_t blocks() const { return mcus * blocks_in_mcu; }
  constexpr std::uint32_t segments() const {
    return (mcus + mcus_in_segment - 1) / mcus_in_segment;
  }
  constexpr std::uint32_t blocks_in_segment() const { return mcus_in_segment * blocks_in_mcu; }
  /// The number of blocks up to the end of segment `segment`.
  constexpr std::uint32_t blocks_until(std::uint32_t segment) const {
    const std::uint64_t end = std::uint64_t{segment + 1} * blocks_in_segment();
    return end < blocks() ? static_cast<std::uint32_t>(end) : blocks();
  }

  /// The place of block `block` of MCU `mcu`. It may be outside of its component.
  constexpr Place place(std::uint32_t mcu, std::uint32_t block) const {
    const Component& c = component[component_of[block]];
    const std::uint32_t within = block - c.first, row = divided(within, c.h);
    return {mcu % mcus_wide * c.h + within - row * c.h, mcu / mcus_wide * c.v + row};
  }
  constexpr bool holds(std::uint32_t which, Place place) const {
    return place.x < component[which].width && place.y < component[which].height;
  }
  /// The number of a block in the order of the scan.
  constexpr std::uint32_t number(std::uint32_t which, Place place) const {
    const Component& c = component[which];
    const std::uint32_t x = divided(place.x, c.h), y = divided(place.y, c.v);
    return (y * mcus_wide + x) * blocks_in_mcu + c.first + (place.y - y * c.v) * c.h + place.x -
           x * c.h;
  }
};

/// The layouts of the source and of the turned picture. The latter may leave out blocks at the
/// right and at the bottom of the source.
struct Turn {
  Layout src, dst;
  Reading reading;

  /// The source's number of a block of the turned picture; no_block if it only fills an MCU.
  constexpr std::uint32_t source(std::uint32_t mcu, std::uint32_t block) const {
    const std::uint32_t which = dst.component_of[block];
    const Place at = dst.place(mcu, block);
    if (!dst.holds(which, at)) return no_block;
    const Component& c = dst.component[which];
    const std::uint32_t width = reading.swap_axes ? c.height : c.width;
    const std::uint32_t height = reading.swap_axes ? c.width : c.height;
    Place from = reading.swap_axes ? Place{at.y, at.x} : at;
    if (reading.from_right) from.x = width - 1 - from.x;
    if (reading.from_bottom) from.y = height - 1 - from.y;
    return src.number(which, from);
  }

  /// The source's number of the block that predicts the DC coefficient of this one: the previous
  /// one of its component that does not only fill an MCU. no_block if it is the first one of its
  /// segment.
  constexpr std::uint32_t predecessor(std::uint32_t mcu, std::uint32_t block) const {
    return predecessor(mcu, block, [](std::uint32_t at) { return at; });
  }

  /// The same among selected MCUs: the selection's MCU number `mcu` is MCU actual(mcu).
  template <class Actual>
  constexpr std::uint32_t predecessor(std::uint32_t mcu, std::uint32_t block, Actual actual) const {
    const Component& c = dst.component[dst.component_of[block]];
    while (true) {
      if (block > c.first) {
        --block;
      } else {
        if (mcu % dst.mcus_in_segment == 0) return no_block;
        --mcu;
        block = c.first + c.h * c.v - 1;
      }
      const std::uint32_t found = source(actual(mcu), block);
      if (found != no_block) return found;
    }
  }
};

}  // namespace qturn::jpeg
