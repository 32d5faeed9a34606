// Which samples of a row or a column count for a resized one, and how much: Pillow's rule, as
// resize.hpp has it, operation by operation, for the CPU and for the GPU.
#pragma once

#include <qturn/resize.hpp>

#include <cstdint>

namespace qturn {

/// A product that is rounded, which the GPU's compiler would fuse with a sum.
constexpr double rounded_product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// The samples of the source that count for one of the result.
struct Taps {
  int first;
  int count;
};

/// What is resized along one axis: the box from `begin` to `end` of `length` samples to `results`.
struct ResizedAxis {
  static constexpr int fraction_bits = 22;

  int length;
  int results;
  float begin;
  float end;
  ResizeFilter filter;

  constexpr double scale() const { return static_cast<double>(end - begin) / results; }
  constexpr double stretch() const { return scale() < 1 ? 1 : scale(); }
  /// How far the filter reaches. `nearest` does not use it.
  constexpr double support() const {
    return rounded_product(filter == ResizeFilter::bicubic ? 2 : 1, stretch());
  }
  /// What taps() counts, at most.
  constexpr int most_taps() const {
    if (filter == ResizeFilter::nearest) return 1;
    const double reach = support();
    const int whole = static_cast<int>(reach);
    return (whole < reach ? whole + 1 : whole) * 2 + 1;
  }

  constexpr double centre(int i) const { return begin + rounded_product(i + 0.5, scale()); }

  /// The taps of result i; not for `nearest`.
  constexpr Taps taps(int i) const {
    const double around = centre(i);
    const double reach = support();
    const int first = static_cast<int>(around - reach + 0.5);
    const int last = static_cast<int>(around + reach + 0.5);
    const int from = first < 0 ? 0 : first;
    return {from, (last > length ? length : last) - from};
  }

  constexpr double weight(int sample, double around, double per_stretch) const {
    const double distance = rounded_product(sample - around + 0.5, per_stretch);
    const double x = distance < 0 ? -distance : distance;
    if (filter == ResizeFilter::bilinear) return x < 1 ? 1 - x : 0;
    constexpr double a = -0.5;
    if (x < 1) {
      const double inner = rounded_product(a + 2, x) - (a + 3);
      return rounded_product(rounded_product(inner, x), x) + 1;
    }
    if (x < 2) {
      const double inner = rounded_product(rounded_product(x - 5, x) + 8, x) - 4;
      return rounded_product(inner, a);
    }
    return 0;
  }

  /// Calls put(k, weight) for the taps of result i, not for `nearest`.
  template <class Put>
  constexpr Taps weigh(int i, Put put) const {
    const Taps found = taps(i);
    const double around = centre(i);
    const double per_stretch = 1 / stretch();
    double sum = 0;
    for (int k = 0; k < found.count; ++k) sum += weight(found.first + k, around, per_stretch);
    for (int k = 0; k < found.count; ++k) {
      double part = weight(found.first + k, around, per_stretch);
      if (sum != 0) part /= sum;
      const double scaled = rounded_product(part, 1 << fraction_bits);
      put(k, static_cast<int>(part < 0 ? scaled - 0.5 : scaled + 0.5));
    }
    return found;
  }

  /// Calls put(i, taps) for all results of `nearest`: a sample with the weight of 1, or none where
  /// rounding has led out of the picture, which makes 0.
  template <class Put>
  constexpr void find_nearest(Put put) const {
    const double step = scale();
    double place = begin + rounded_product(step, 0.5);
    for (int i = 0; i < results; ++i, place += step) {
      const int sample = static_cast<int>(place);
      const bool exists = place >= 0 && sample < length;
      put(i, Taps{exists ? sample : 0, exists ? 1 : 0});
    }
  }

  /// The first and the last sample that count for any result, as taps.
  constexpr Taps all_taps() const {
    if (filter == ResizeFilter::nearest) {
      Taps all{0, 0};
      find_nearest([&](int, Taps taps) {
        if (taps.count == 0) return;
        if (all.count == 0) all.first = taps.first;
        all.count = taps.first + 1 - all.first;
      });
      return all;
    }
    const Taps first = taps(0);
    const Taps last = taps(results - 1);
    return {first.first, last.first + last.count - first.first};
  }
};

/// A sum of products of bytes and weights, begun with one_half, as a byte.
inline constexpr int one_half = 1 << (ResizedAxis::fraction_bits - 1);
constexpr int limited(int sum) {
  const int value = sum >> ResizedAxis::fraction_bits;
  return value < 0 ? 0 : value > 255 ? 255 : value;
}

/// Both axes of a picture.
struct ResizedAxes {
  ResizedAxis x;
  ResizedAxis y;
  bool rows_first;

  ResizedAxes(const ResizedImage& image, ResizeRule rule);
  /// The rows of the source that the second pass reads, or the columns if it makes columns.
  Taps used_between() const { return rows_first ? x.all_taps() : y.all_taps(); }
};

/// Throws std::invalid_argument unless `count` images can be resized: their sizes, their boxes, the
/// filter. Returns the bytes of a pixel, 1 if there are no images.
int check_resized(const ResizedImage* images, std::size_t count, ResizeRule rule);

/// The same, and what check_planar_shapes() and check_format() ask for.
int check_resized(const ResizedImage* images, std::size_t count, ResizeRule rule,
                  const PlanarFormat& format);

}  // namespace qturn
