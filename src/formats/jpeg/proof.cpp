#include "src/formats/jpeg/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "src/picture/errors.hpp"

namespace qturn::jpeg {
namespace {

template <typename Value>
void expect(const char* what, int component, const Value& expected, const Value& found) {
  if (found == expected) return;
  throw ProofError(
      fmt::format("{} of component {}: {} expected, {} found", what, component, expected, found));
}

/// Where each coefficient of a turned block comes from, and with which sign: a mirrored axis
/// negates its odd frequencies, because cos((2 (7 - x) + 1) u pi / 16) is (-1)^u times that of x.
struct Coefficients {
  std::array<std::uint8_t, DCTSIZE2> from{};
  std::array<JCOEF, DCTSIZE2> sign{};

  explicit Coefficients(Orientation orientation) {
    const Reading r = reading(orientation);
    for (int row = 0; row < DCTSIZE; ++row) {
      for (int column = 0; column < DCTSIZE; ++column) {
        const int x = r.swap_axes ? row : column, y = r.swap_axes ? column : row;
        const bool is_negated = (r.from_right && x % 2 != 0) != (r.from_bottom && y % 2 != 0);
        const auto at = static_cast<std::size_t>(row * DCTSIZE + column);
        from[at] = static_cast<std::uint8_t>(y * DCTSIZE + x);
        sign[at] = static_cast<JCOEF>(is_negated ? -1 : 1);
      }
    }
  }

  JCOEF expected(const JCOEF* source, std::size_t at) const {
    return static_cast<JCOEF>(source[from[at]] * sign[at]);
  }

  bool are_equal(const JCOEF* source, const JCOEF* result) const {
    int differences = 0;
    for (std::size_t at = 0; at < DCTSIZE2; ++at) differences |= expected(source, at) ^ result[at];
    return differences == 0;
  }
};

}  // namespace

void prove_layout(const JpegPicture& source, const JpegPicture& result, Orientation orientation) {
  const bool swaps = swaps_axes(orientation);
  const Size size = turned_size(orientation, {source.width, source.height});
  if (result.width != size.width || result.height != size.height) {
    throw ProofError(fmt::format("{} x {} pixels expected, {} x {} found", size.width, size.height,
                                 result.width, result.height));
  }
  if (result.components.size() != source.components.size()) {
    throw ProofError(fmt::format("{} components expected, {} found", source.components.size(),
                                 result.components.size()));
  }
  for (std::size_t i = 0; i < source.components.size(); ++i) {
    const JpegComponent &was = source.components[i], &is = result.components[i];
    expect("the number", was.id, was.id, is.id);
    expect("the sampling factor", was.id, swaps ? was.v : was.h, is.h);
    expect("the vertical sampling factor", was.id, swaps ? was.h : was.v, is.v);
    for (std::size_t at = 0; at < DCTSIZE2; ++at) {
      const std::size_t from = swaps ? at % DCTSIZE * DCTSIZE + at / DCTSIZE : at;
      expect("a quantisation step", was.id, was.table[from], is.table[at]);
    }
  }
}

void prove_coefficients(const DescribedBlocks& source, const DescribedBlocks& result,
                        Orientation orientation, const std::atomic<bool>& stop) {
  prove_layout(source.picture, result.picture, orientation);
  const Coefficients coefficients(orientation);
  for (std::size_t i = 0; i < source.picture.components.size(); ++i) {
    const JpegComponent& component = source.picture.components[i];
    const JpegBlockArray& from = source.blocks.component(static_cast<int>(i));
    const JpegBlockArray& to = result.blocks.component(static_cast<int>(i));
    const Size size{component.width_in_blocks, component.height_in_blocks};
    for (std::int64_t y = 0; y < size.height; ++y) {
      if (stop) throw Interrupted();
      for (std::int64_t x = 0; x < size.width; ++x) {
        const Position place = destination_of(orientation, {x, y}, size);
        const JCOEF* was = from.block(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
        const JCOEF* is =
            to.block(static_cast<std::size_t>(place.x), static_cast<std::size_t>(place.y));
        if (coefficients.are_equal(was, is)) continue;
        std::size_t at = 0;
        while (coefficients.expected(was, at) == is[at]) ++at;
        throw ProofError(fmt::format(
            "component {}, block {}, {}, coefficient {}, {}: {} expected, {} found", component.id,
            place.x, place.y, at % DCTSIZE, at / DCTSIZE, coefficients.expected(was, at), is[at]));
      }
    }
  }
}

// The encoder rounds each coefficient to a multiple of its step q, so it is wrong by q / 2 at most.
// The transform keeps lengths, so the samples of a block, seen as a vector, are then wrong by no
// more than the root of the sum of (q / 2)^2. Both codecs calculate in integers: 1 for each
// coefficient and 1 for each sample are more than that. Clipping to 0...255 only brings samples
// nearer to those of the source, which lie there.
void prove_samples(int component, const JpegSamples& source, const JpegSamples& result,
                   const JpegTable& table, Orientation orientation, bool blended_x, bool blended_y,
                   const std::atomic<bool>& stop) {
  const Size turned = turned_size(orientation, {source.width, source.height});
  expect("the width", component, turned.width, result.width);
  expect("the height", component, turned.height, result.height);
  double squares = 0;
  for (const UINT16 step : table) squares += (step / 2.0 + 1) * (step / 2.0 + 1);
  const double most = std::sqrt(squares) + DCTSIZE;
  const Orientation back = inverse(orientation);
  const auto distance = [&](std::int64_t x, std::int64_t y) {
    const Position at = destination_of(back, {x, y}, turned);
    int low = 255, high = 0;
    for (std::int64_t before_y = 0; before_y <= (blended_y ? 1 : 0); ++before_y) {
      const std::int64_t row = std::max<std::int64_t>(at.y - before_y, 0);
      for (std::int64_t before_x = 0; before_x <= (blended_x ? 1 : 0); ++before_x) {
        const std::int64_t column = std::max<std::int64_t>(at.x - before_x, 0);
        const int sample = source.samples[row * source.pitch + column];
        low = std::min(low, sample);
        high = std::max(high, sample);
      }
    }
    const int found = result.samples[y * result.pitch + x];
    return std::max({low - found, found - high, 0});
  };
  for (std::int64_t top = 0; top < result.height; top += DCTSIZE) {
    if (stop) throw Interrupted();
    for (std::int64_t left = 0; left < result.width; left += DCTSIZE) {
      std::int64_t sum = 0;
      for (std::int64_t y = top; y < std::min(top + DCTSIZE, result.height); ++y) {
        for (std::int64_t x = left; x < std::min(left + DCTSIZE, result.width); ++x) {
          const std::int64_t away = distance(x, y);
          sum += away * away;
        }
      }
      if (static_cast<double>(sum) <= most * most) continue;
      throw ProofError(fmt::format(
          "component {}, block {}, {}: at most {:.1f} away from the original expected, {:.1f} "
          "found",
          component, left / DCTSIZE, top / DCTSIZE, most, std::sqrt(static_cast<double>(sum))));
    }
  }
}

}  // namespace qturn::jpeg
