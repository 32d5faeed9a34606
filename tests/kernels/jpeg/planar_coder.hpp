// Turning by planes as kernels/jpeg does it, run on the CPU thread by thread, for the tests.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <span>
#include <vector>

#include "kernels/jpeg/src/planar_plan.hpp"
#include "tests/kernels/jpeg/coder.hpp"
#include "tests/kernels/jpeg/transforms.hpp"

namespace qturn::tests {

/// The samples of a component, from its blocks.
inline std::vector<std::uint8_t> plane_of(const Coefficients& read, const jpeg::Layout& layout,
                                          std::uint32_t which, const JpegSteps& steps) {
  const jpeg::Component& component = layout.component[which];
  const std::size_t pitch = component.width * std::size_t{8};
  std::vector<std::uint8_t> samples(pitch * component.height * 8);
  int out_of_range = 0;
  for (std::uint32_t y = 0; y < component.height; ++y) {
    for (std::uint32_t x = 0; x < component.width; ++x) {
      const std::size_t number = layout.number(which, {x, y});
      std::array<std::int16_t, 64> block{};
      block[0] = read.dc[number];
      for (std::uint32_t k = 1; k < 64; ++k) {
        if ((read.sets[number] >> k & 1) == 0) continue;
        block[jpeg::zigzag[k]] = static_cast<std::int16_t>(
            read.block(number).value(jpeg::CoefficientPlace::of(k, false)));
      }
      const RestoredBlock made = restored(block, steps);
      out_of_range += !made.in_range;
      for (std::size_t k = 0; k < 64; ++k) {
        samples[(y * std::size_t{8} + k / 8) * pitch + x * std::size_t{8} + k % 8] =
            made.samples[k];
      }
    }
  }
  CHECK(out_of_range == 0);
  return samples;
}

/// The block of a turned component, stored as the threads do it.
inline void store_block(const jpeg::PlanarComponent& component, jpeg::Place place,
                        std::size_t number, Coefficients& to) {
  std::array<std::uint8_t, 64> samples;
  const bool swaps = component.plane.reading.swap_axes;
  for (std::uint32_t across = 0; across < 8; ++across) {
    const std::uint64_t eight = component.plane.eight_samples(place.x * 8 + (swaps ? across : 0),
                                                              place.y * 8 + (swaps ? 0 : across));
    for (std::uint32_t along = 0; along < 8; ++along) {
      samples[swaps ? along * 8 + across : across * 8 + along] =
          static_cast<std::uint8_t>(eight >> 8 * along);
    }
  }
  const std::array<std::int32_t, 64> block = transformed(samples, component.divisors);
  to.dc[number] = static_cast<std::int16_t>(block[0]);
  std::size_t at = 64 * number;
  for (std::uint32_t k = 1; k < 64; ++k) {
    if (block[jpeg::zigzag[k]] == 0) continue;
    to.sets[number] |= std::uint64_t{1} << k;
    to.values[at++] = static_cast<std::int16_t>(block[jpeg::zigzag[k]]);
  }
}

inline JpegHuffmanTable best_of(const jpeg::SymbolCounts& counts, bool all, bool dc) {
  const auto maker = std::make_unique<jpeg::TableMaker<>>();
  maker->counts = counts;
  for (std::uint32_t symbol = 0; symbol < jpeg::most_symbols; ++symbol) maker->sort_in(symbol);
  return maker->make(all, dc);
}

/// The tables for a picture's blocks, in `layout`.
inline void fit(const jpeg::AskedPlanar& asked, JpegScanLayout& layout) {
  std::vector<jpeg::SymbolCounts> counts(static_cast<std::size_t>(2 * layout.components));
  for (std::uint32_t i = 0; i < asked.planar.counted_blocks; ++i) {
    jpeg::count_symbols(asked.written, i, asked.planar.row_step, counts.data());
  }
  for (int i = 0; i < layout.components; ++i) {
    jpeg::SymbolCounts dc{}, ac{};
    for (int other = 0; other < layout.components; ++other) {
      const auto add = [&](jpeg::SymbolCounts& sum, int which) {
        for (std::size_t symbol = 0; symbol < 256; ++symbol) {
          sum.of[symbol] += counts[static_cast<std::size_t>(which)].of[symbol];
        }
      };
      if (asked.planar.dc_table[other] == asked.planar.dc_table[i]) add(dc, 2 * other);
      if (asked.planar.ac_table[other] == asked.planar.ac_table[i]) add(ac, 2 * other + 1);
    }
    layout.component[i].dc = best_of(dc, asked.planar.row_step > 1, true);
    layout.component[i].ac = best_of(ac, asked.planar.row_step > 1, false);
  }
}

/// A scan turned by planes; its layout has the tables that it is coded with.
struct CodedPlanes {
  Bytes data;
  JpegScanLayout layout;
};

/// `data` ends with the marker of its end.
inline CodedPlanes turn_by_planes(const JpegPlanarTurn& turn, std::span<const std::byte> data) {
  JpegPlanarTurn with_data = turn;
  with_data.bytes = data.size();
  jpeg::AskedPlanar asked = jpeg::asked_of(with_data, jpeg::usual_cut);
  const jpeg::Layout &src = asked.read.turn.src, &dst = asked.written.turn.dst;
  const Coefficients read = read_scan(turn.src, data, Cut{jpeg::most_block_bits, 128});
  std::vector<std::vector<std::uint8_t>> planes;
  Coefficients made = no_coefficients(dst.blocks());
  for (std::uint32_t i = 0; i < src.components; ++i) {
    planes.push_back(plane_of(read, src, i, turn.steps[i]));
    asked.planar.component[i].plane.from.samples = planes.back().data();
    for (std::uint32_t y = 0; y < dst.component[i].height; ++y) {
      for (std::uint32_t x = 0; x < dst.component[i].width; ++x) {
        store_block(asked.planar.component[i], {x, y}, dst.number(i, {x, y}), made);
      }
    }
  }
  asked.written.dc = made.dc.data();
  asked.written.values = made.values.data();
  asked.written.sets = made.sets.data();
  asked.written.parted = made.parted.data();
  CodedPlanes result{{}, jpeg::turned_layout(turn)};
  fit(asked, result.layout);
  result.data = Writer(asked.written.turn, result.layout, made).write();
  return result;
}

}  // namespace qturn::tests
