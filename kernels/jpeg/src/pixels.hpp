// Pixels from the samples of a YCbCr picture, as libjpeg makes them, bit for bit.
#pragma once

#include <cstdint>

#include "kernels/jpeg/src/machine.hpp"
#include "kernels/jpeg/src/restored.hpp"

namespace qturn::jpeg {

/// A number's neighbour on one side, or itself at the edge.
constexpr std::uint32_t neighbour(std::uint32_t at, bool after, std::uint32_t count) {
  if (after) return at + 1 < count ? at + 1 : at;
  return at > 0 ? at - 1 : at;
}

/// The value of a component at pixel (x, y). Where two pixels along an axis share a sample, and
/// `is_smooth`, each is three quarters of it and a quarter of its neighbour's; so are the sums of
/// two rows. libjpeg has this for both axes at once, and for each of them.
constexpr std::int32_t value_at(const Plane& plane, const SharedSamples& shared, bool is_smooth,
                                std::uint32_t x, std::uint32_t y) {
  const std::uint32_t u = x / shared.h_step, v = y / shared.v_step;
  const bool along_x = shared.h_step == 2, along_y = shared.v_step == 2;
  const bool is_wide = shared.h_step == 1 || (along_x && shared.width > 2);
  if (!is_smooth || !is_wide || shared.v_step > 2 || (!along_x && !along_y)) {
    return plane.row(v)[u];
  }
  const bool right = x % 2 != 0, below = y % 2 != 0;
  const std::uint32_t beside = neighbour(u, right, shared.width);
  const std::uint8_t* row = plane.row(v);
  if (!along_y) return (3 * row[u] + row[beside] + (right ? 2 : 1)) >> 2;
  const std::uint8_t* other = plane.row(neighbour(v, below, shared.height));
  const std::int32_t sum = 3 * row[u] + other[u];
  if (!along_x) return (sum + (below ? 2 : 1)) >> 2;
  return (3 * sum + 3 * row[beside] + other[beside] + (right ? 7 : 8)) >> 4;
}

/// Pixels of a row that a thread makes.
inline constexpr std::uint32_t pixels_in_run = 16;

/// The samples of a row, or three quarters of each and a quarter of the next row's, times four.
struct BlendedRow {
  const std::uint8_t *row, *other;
  bool is_blended;

  constexpr std::int32_t at(std::uint32_t u) const {
    return is_blended ? 3 * row[u] + other[u] : row[u];
  }
  /// Eight from `u` on.
  constexpr void get(std::uint32_t u, std::int32_t* to) const {
    const std::uint64_t own = load_only_eight(row + u);
    const std::uint64_t beside = is_blended ? load_only_eight(other + u) : 0;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const auto sample = static_cast<std::int32_t>(own >> 8 * i & 0xFF);
      const auto next = static_cast<std::int32_t>(beside >> 8 * i & 0xFF);
      to[i] = is_blended ? 3 * sample + next : sample;
    }
  }
};

/// Whether values_at() takes this component.
constexpr bool has_runs(const SharedSamples& shared) { return shared.h_step <= 2; }

/// value_at() of a run of pixels that begins at (x, y) and ends within the picture; `x` is a
/// multiple of its length.
constexpr void values_at(const Plane& plane, const SharedSamples& shared, bool is_smooth,
                         std::uint32_t x, std::uint32_t y, std::int32_t (&values)[pixels_in_run]) {
  constexpr std::uint32_t half = pixels_in_run / 2;
  static_assert(half == 8);
  const bool along_x = shared.h_step == 2, along_y = shared.v_step == 2;
  const bool is_mean = is_smooth && shared.v_step <= 2 && (!along_x || shared.width > 2);
  const std::uint32_t v = y / shared.v_step;
  const bool below = y % 2 != 0;
  const BlendedRow from{plane.row(v), plane.row(neighbour(v, below, shared.height)),
                        is_mean && along_y};
  if (!along_x) {
    from.get(x, values);
    from.get(x + half, values + half);
    if (!from.is_blended) return;
    for (std::int32_t& value : values) value = (value + (below ? 2 : 1)) >> 2;
    return;
  }
  const std::uint32_t u = x / 2;
  std::int32_t at[half + 2] = {};  // with those before and after
  from.get(u, at + 1);
  if (is_mean) {
    at[0] = from.at(neighbour(u, false, shared.width));
    at[half + 1] = from.at(neighbour(u + half - 1, true, shared.width));
  }
  const std::int32_t shift = along_y ? 4 : 2, left = along_y ? 8 : 1, right = along_y ? 7 : 2;
  for (std::uint32_t i = 0; i < half; ++i) {
    const std::int32_t own = at[i + 1];
    values[2 * i] = is_mean ? (3 * own + at[i] + left) >> shift : own;
    values[2 * i + 1] = is_mean ? (3 * own + at[i + 2] + right) >> shift : own;
  }
}

struct Rgb {
  std::uint32_t r, g, b;
};

constexpr std::uint32_t clamped(std::int32_t value) {
  return static_cast<std::uint32_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// The products are rounded one by one, for G their sum.
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
