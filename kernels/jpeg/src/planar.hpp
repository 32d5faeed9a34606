// A turn by planes, as the kernels see it: samples are read from the planes of the source, turned,
// and become the blocks of the turned picture. From there on it is written like any other picture.
#pragma once

#include <qturn/jpeg_planar_cuda.hpp>
#include <qturn/orientation.hpp>

#include <cstdint>

#include "kernels/jpeg/src/best_table.hpp"
#include "kernels/jpeg/src/dct.hpp"
#include "kernels/jpeg/src/picture.hpp"
#include "kernels/jpeg/src/restored.hpp"
#include "kernels/jpeg/src/writing.hpp"

namespace qturn::jpeg {

/// How far samples move when an axis is mirrored: `part` of `whole` to the left or to the top. A
/// sample that pixels share lies in their middle. Where an edge cuts a group of pixels and the
/// mirror puts that edge first, the new groups differ.
struct Shift {
  std::uint32_t part = 0, whole = 1;

  /// `pixels` share samples by `step`.
  static constexpr Shift of(bool mirrored, std::uint32_t pixels, std::uint32_t step) {
    if (!mirrored || pixels % step == 0) return {};
    return {step - pixels % step, step};
  }
};

/// A component of the source, read as the same component of the turned picture.
struct TurnedPlane {
  Plane from;  ///< in whole blocks
  /// The part of `from` that is turned. Beyond an edge that keeps its place in the blocks, the
  /// hidden samples are turned with the rest.
  std::uint32_t width = 0, height = 0;
  Shift along_x, along_y;
  Reading reading;

  /// A sample of the turned component, whose last column and last row go on without end.
  constexpr std::uint32_t sample(std::uint32_t x, std::uint32_t y) const {
    std::uint32_t u = reading.swap_axes ? y : x, v = reading.swap_axes ? x : y;
    u = u < width ? u : width - 1;
    v = v < height ? v : height - 1;
    if (reading.from_right) u = width - 1 - u;
    if (reading.from_bottom) v = height - 1 - v;
    if (along_x.part == 0 && along_y.part == 0) return from.row(v)[u];
    return resampled(u, v);
  }

  /// The samples from (x, y) on, along y if axes are swapped and along x otherwise, so that they
  /// lie side by side in the source; the first one lowest.
  constexpr std::uint64_t eight_samples(std::uint32_t x, std::uint32_t y) const {
    const std::uint32_t u = reading.swap_axes ? y : x;
    if (u + 8 > width || along_x.part != 0 || along_y.part != 0) return one_by_one(x, y);
    std::uint32_t v = reading.swap_axes ? x : y;
    v = v < height ? v : height - 1;
    if (reading.from_bottom) v = height - 1 - v;
    const std::uint8_t* row = from.row(v);
    return reading.from_right ? reversed_bytes(load_eight(row + width - 8 - u))
                              : load_eight(row + u);
  }

 private:
  constexpr std::uint64_t one_by_one(std::uint32_t x, std::uint32_t y) const {
    std::uint64_t samples = 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t one = reading.swap_axes ? sample(x, y + i) : sample(x + i, y);
      samples |= std::uint64_t{one} << 8 * i;
    }
    return samples;
  }
  /// The weighted mean of the sample and its neighbours before it. The first samples are repeated.
  constexpr std::uint32_t resampled(std::uint32_t u, std::uint32_t v) const {
    const std::uint32_t left = u == 0 ? 0 : u - 1, above = v == 0 ? 0 : v - 1;
    const std::uint32_t now = along_x_of(from.row(v), u, left);
    const std::uint32_t before = along_x_of(from.row(above), u, left);
    const std::uint32_t sum = (along_y.whole - along_y.part) * now + along_y.part * before;
    const std::uint32_t whole = along_x.whole * along_y.whole;
    return (sum + whole / 2) / whole;
  }
  constexpr std::uint32_t along_x_of(const std::uint8_t* row, std::uint32_t u,
                                     std::uint32_t left) const {
    return (along_x.whole - along_x.part) * row[u] + along_x.part * row[left];
  }
};

/// Blocks of a tile of the turned picture. Its samples fill whole sectors of memory, whether the
/// axes are swapped or not.
inline constexpr std::uint32_t turned_wide = 8, turned_high = 4;

struct PlanarComponent {
  TurnedPlane plane;
  Divisor divisors[coefficients]{};  ///< of the turned component, row by row
};

struct PlanarPicture {
  BlockTiles tiles;  ///< of the turned picture
  PlanarComponent component[most_components];
  /// Symbols are counted in every `row_step`th row of MCUs, which have `counted_blocks` blocks.
  std::uint32_t row_step = 1, counted_blocks = 0;
  std::uint8_t dc_table[most_components]{}, ac_table[most_components]{};
  SymbolCounts* counts = nullptr;  ///< [2 * component], and the next one for AC coefficients
  WriteTable* tables = nullptr;    ///< in the same order
  JpegPlanarResult* result = nullptr;
};

/// Which rows of MCUs the CPU counts. Of a photograph of 12 MP they are enough.
constexpr std::uint32_t counted_row_step(const Layout& layout) {
  constexpr std::uint32_t enough_rows = 32;
  const std::uint32_t step = layout.mcus / layout.mcus_wide / enough_rows;
  return step > 1 ? step : 1;
}

/// The MCU that comes after `counted` others in the rows that are counted.
struct CountedMcu {
  std::uint32_t wide, row_step;

  constexpr std::uint32_t operator()(std::uint32_t counted) const {
    return counted / wide * row_step * wide + counted % wide;
  }
};

constexpr std::uint32_t counted_blocks(const Layout& layout) {
  const std::uint32_t rows = layout.mcus / layout.mcus_wide, step = counted_row_step(layout);
  return (rows + step - 1) / step * layout.mcus_wide * layout.blocks_in_mcu;
}

/// Counts the symbols of counted block `number`. Its DC coefficient is coded against the counted
/// block before it.
constexpr void count_symbols(const Picture& picture, std::uint32_t number, std::uint32_t row_step,
                             SymbolCounts* counts) {
  const Layout& layout = picture.turn.dst;
  const std::uint32_t mcu = number / layout.blocks_in_mcu, block = number % layout.blocks_in_mcu;
  const CountedMcu actual{layout.mcus_wide, row_step};
  SymbolCounts* of = counts + 2 * layout.component_of[block];
  SymbolCounter out;
  const std::uint32_t source = picture.turn.source(actual(mcu), block);
  if (source == no_block) {
    put_dc(out, of[0], 0);
    put_ac(out, of[1], picture.order, {});
    return;
  }
  const std::uint32_t predecessor = picture.turn.predecessor(mcu, block, actual);
  put_dc(out, of[0], picture.dc[source] - (predecessor == no_block ? 0 : picture.dc[predecessor]));
  put_ac(out, of[1], picture.order,
         {picture.values + std::size_t{source} * coefficients, picture.sets[source],
          picture.parted[source]});
}

}  // namespace qturn::jpeg
