// The transforms of a block by kernels/jpeg, run on the CPU, for the tests.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/jpeg/src/dct.hpp"

namespace qturn::tests {

using Numbers = std::int32_t[jpeg::block_side];

struct RestoredBlock {
  bool in_range = false;
  std::array<std::uint8_t, 64> samples{};
};

/// As the threads of kernels/jpeg do it: columns, then rows.
inline RestoredBlock restored(const std::array<std::int16_t, 64>& block,
                              const std::array<std::uint16_t, 64>& steps) {
  RestoredBlock result;
  jpeg::InverseRange range;
  jpeg::SampleRange sample_range;
  std::int32_t between[8][8];
  for (int u = 0; u < 8; ++u) {
    Numbers x;
    for (int v = 0; v < 8; ++v) {
      x[v] = block[static_cast<std::size_t>(v * 8 + u)] *
             std::int32_t{steps[static_cast<std::size_t>(v * 8 + u)]};
      range.add(x[v]);
    }
    if (!range.holds()) return result;  // products may overflow
    jpeg::inverse_pass(x, jpeg::inverse_first_shift);
    for (int v = 0; v < 8; ++v) {
      range.add(x[v]);
      between[v][u] = x[v];
    }
  }
  if (!range.holds()) return result;
  for (int v = 0; v < 8; ++v) {
    jpeg::inverse_pass(between[v], jpeg::inverse_last_shift);
    for (int u = 0; u < 8; ++u) {
      sample_range.add(between[v][u]);
      result.samples[static_cast<std::size_t>(v * 8 + u)] =
          static_cast<std::uint8_t>(jpeg::sample_of(between[v][u]));
    }
  }
  result.in_range = sample_range.holds();
  return result;
}

/// The coefficients of samples: rows, then columns.
inline std::array<std::int32_t, 64> transformed(const std::array<std::uint8_t, 64>& samples,
                                                const jpeg::Divisor* divisors) {
  std::int32_t between[8][8];
  for (std::size_t y = 0; y < 8; ++y) {
    for (std::size_t x = 0; x < 8; ++x) between[y][x] = samples[y * 8 + x] - 128;
    jpeg::forward_pass(between[y], jpeg::forward_first_shift);
  }
  std::array<std::int32_t, 64> result;
  for (std::size_t u = 0; u < 8; ++u) {
    Numbers x;
    for (std::size_t v = 0; v < 8; ++v) x[v] = between[v][u];
    jpeg::forward_pass(x, jpeg::forward_last_shift);
    for (std::size_t v = 0; v < 8; ++v) result[v * 8 + u] = divisors[v * 8 + u].divide(x[v]);
  }
  return result;
}

}  // namespace qturn::tests
