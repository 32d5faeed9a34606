#include "src/formats/jpeg/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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
/// negates its odd frequencies: cos((2 (7 - x) + 1) u pi / 16) = (-1)^u cos((2 x + 1) u pi / 16).
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

namespace {

/// The coefficients of a block, by the formula of the transform.
class Transform {
 public:
  Transform() {
    for (std::size_t u = 0; u < DCTSIZE; ++u) {
      const double scale = u == 0 ? std::sqrt(0.125) : 0.5;
      for (std::size_t x = 0; x < DCTSIZE; ++x)
        by_place_[x][u] = static_cast<float>(
            scale * std::cos(std::numbers::pi * static_cast<double>((2 * x + 1) * u) / 16));
    }
  }

  using Block = std::array<std::array<float, DCTSIZE>, DCTSIZE>;

  Block operator()(const Block& samples) const { return columns(columns(samples)); }

 private:
  /// Transforms the columns, and exchanges the axes.
  Block columns(const Block& from) const {
    Block to{};
    for (std::size_t x = 0; x < DCTSIZE; ++x)
      for (std::size_t y = 0; y < DCTSIZE; ++y)
        for (std::size_t u = 0; u < DCTSIZE; ++u) to[x][u] += from[y][x] * by_place_[y][u];
    return to;
  }

  Block by_place_{};
};

/// The samples that the encoder was to get, by their places in the turned picture.
class TurnedSamples {
 public:
  TurnedSamples(const JpegSamples& source, Orientation orientation, JpegAxis x_axis,
                JpegAxis y_axis)
      : source_(source) {
    const Reading r = reading(orientation);
    const auto missed = [](bool mirrored, const JpegAxis& axis) {
      const std::int64_t rest = axis.pixels % axis.shared;
      return mirrored && rest != 0 ? Part{static_cast<int>(axis.shared - rest), axis.shared}
                                   : Part{};
    };
    along_x_ = missed(r.from_right, x_axis);
    along_y_ = missed(r.from_bottom, y_axis);
    // What is hidden beyond an edge stays if the edge does. Else the edge is repeated.
    size_ = turned_size(orientation, {r.from_right ? source.width : source.pitch,
                                      r.from_bottom ? source.height : source.rows});
    const auto place = [&](Position at) { return destination_of(inverse(orientation), at, size_); };
    first_ = place({0, 0});
    right_ = {place({1, 0}).x - first_.x, place({1, 0}).y - first_.y};
    below_ = {place({0, 1}).x - first_.x, place({0, 1}).y - first_.y};
  }

  int at(std::int64_t x, std::int64_t y) const {
    x = std::min(x, size_.width - 1);
    y = std::min(y, size_.height - 1);
    const std::int64_t from_x = first_.x + x * right_.x + y * below_.x;
    const std::int64_t from_y = first_.y + x * right_.y + y * below_.y;
    const JSAMPLE* here = source_.samples + from_y * source_.pitch + from_x;
    if (along_x_.part == 0 && along_y_.part == 0) return *here;
    const std::int64_t left = from_x > 0 ? -1 : 0, above = from_y > 0 ? -source_.pitch : 0;
    const auto mean = [&](const JSAMPLE* row) {
      return (along_x_.whole - along_x_.part) * row[0] + along_x_.part * row[left];
    };
    const int whole = along_x_.whole * along_y_.whole;
    return ((along_y_.whole - along_y_.part) * mean(here) + along_y_.part * mean(here + above) +
            whole / 2) /
           whole;
  }

 private:
  JpegSamples source_;
  /// By how much of a sample the mirrored ones miss their new places.
  struct Part {
    int part = 0, whole = 1;
  };
  Part along_x_, along_y_;
  Size size_;
  Position first_, right_, below_;
};

}  // namespace

// The encoder rounds each coefficient to a multiple of its step, so it is wrong by half a step at
// most. Its transform, in integers, has constants of 13 bits and rounds twice: together it is wrong
// by 0.297 at most, whatever the samples are (|error| of each constant's product, times 128, and
// half a unit of each sum). The transform in float numbers is wrong by less than 0.01.
void prove_reencoded(const JpegSamples& source, const DescribedBlocks& result, std::size_t index,
                     Orientation orientation, JpegAxis x_axis, JpegAxis y_axis,
                     const std::atomic<bool>& stop) {
  constexpr float transform_error = 0.3125F;
  constexpr int middle = 128;
  const JpegComponent& component = result.picture.components[index];
  const JpegBlockArray& blocks = result.blocks.component(static_cast<int>(index));
  const TurnedSamples samples(source, orientation, x_axis, y_axis);
  const Transform transform;
  Transform::Block block;
  std::array<float, DCTSIZE2> found;
  for (std::size_t row = 0; row < component.height_in_blocks; ++row) {
    if (stop) throw Interrupted();
    for (std::size_t column = 0; column < component.width_in_blocks; ++column) {
      for (std::size_t y = 0; y < DCTSIZE; ++y)
        for (std::size_t x = 0; x < DCTSIZE; ++x)
          block[y][x] =
              static_cast<float>(samples.at(static_cast<std::int64_t>(column * DCTSIZE + x),
                                            static_cast<std::int64_t>(row * DCTSIZE + y)) -
                                 middle);
      const Transform::Block expected = transform(block);
      const JCOEF* coefficients = blocks.block(column, row);
      const auto is_near = [&](std::size_t at) {
        found[at] = static_cast<float>(coefficients[at] * component.table[at]);
        return std::abs(found[at] - expected[at / DCTSIZE][at % DCTSIZE]) <=
               static_cast<float>(component.table[at]) / 2 + transform_error;
      };
      bool all = true;
      for (std::size_t at = 0; at < DCTSIZE2; ++at) all &= is_near(at);
      if (all) continue;
      std::size_t at = 0;
      while (is_near(at)) ++at;
      throw ProofError(fmt::format(
          "component {}, block {}, {}, coefficient {}, {}: {:.1f} in steps of {} expected, {} "
          "found",
          component.id, column, row, at % DCTSIZE, at / DCTSIZE,
          expected[at / DCTSIZE][at % DCTSIZE], component.table[at], found[at]));
    }
  }
}

}  // namespace qturn::jpeg
