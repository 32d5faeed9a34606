// The cosine transforms of a block, forward and inverse, as integers: libjpeg's accurate ones
// (JDCT_ISLOW; Loeffler, Ligtenberg and Moschytz, ICASSP 1989). A pass transforms eight numbers,
// all rows and then all columns, or the other way round. Between the passes there are two more bits
// than in the result, so the order matters.
//
// libjpeg-turbo has this for several processors. All of its versions agree on the results as long
// as numbers stay in the ranges below. A real picture's numbers do; other data is left to the CPU.
#pragma once

#include <cstdint>

#include "kernels/jpeg/src/machine.hpp"

namespace qturn::jpeg {

inline constexpr int block_side = 8;
inline constexpr int fraction_bits = 13;  ///< of the constants
/// The bits that a pass drops.
inline constexpr int inverse_first_shift = fraction_bits - 2,
                     inverse_last_shift = fraction_bits + 5;
inline constexpr int forward_first_shift = fraction_bits - 2,
                     forward_last_shift = fraction_bits + 2;

/// Gathers numbers and says whether all of them were in a range that is centred at zero.
template <int bits>
class Range {
 public:
  constexpr void add(std::int32_t value) {
    seen_ |= static_cast<std::uint32_t>(value) + (1u << (bits - 1));
  }
  constexpr bool holds() const { return seen_ >> bits == 0; }

 private:
  std::uint32_t seen_ = 0;
};

/// What a pass of the inverse transform takes: 15 bits each.
using InverseRange = Range<15>;
/// What is clamped to a sample, without the 128 that is added: 10 bits.
using SampleRange = Range<10>;

namespace dct {

// sqrt(2) cos(k pi / 16) and sums of such, in 13 bits.
inline constexpr std::int32_t c0_299 = 2446, c0_390 = 3196, c0_541 = 4433, c0_765 = 6270,
                              c0_900 = 7373, c1_176 = 9633, c1_501 = 12299, c1_848 = 15137,
                              c1_962 = 16069, c2_053 = 16819, c2_563 = 20995, c3_073 = 25172;

/// Four of the eight numbers, for the frequencies 7, 5, 3 and 1.
struct Odd {
  std::int32_t of7, of5, of3, of1;
};

/// The same matrix in both directions, for it is symmetric.
constexpr Odd rotated(Odd in) {
  const std::int32_t z1 = (in.of7 + in.of1) * c0_900, z2 = (in.of5 + in.of3) * c2_563;
  const std::int32_t z3 = in.of7 + in.of3, z4 = in.of5 + in.of1, z5 = (z3 + z4) * c1_176;
  const std::int32_t a = z5 - z3 * c1_962, b = z5 - z4 * c0_390;
  return {in.of7 * c0_299 - z1 + a, in.of5 * c2_053 - z2 + b, in.of3 * c3_073 - z2 + a,
          in.of1 * c1_501 - z1 + b};
}

constexpr std::int32_t rounded(std::int32_t value, int shift) {
  return (value + (1 << (shift - 1))) >> shift;
}

}  // namespace dct

/// A pass from frequencies to places.
constexpr void inverse_pass(std::int32_t (&x)[block_side], int shift) {
  using namespace dct;
  const std::int32_t sum = (x[0] + x[4]) * (1 << fraction_bits);
  const std::int32_t difference = (x[0] - x[4]) * (1 << fraction_bits);
  const std::int32_t z = (x[2] + x[6]) * c0_541;
  const std::int32_t low = z + x[2] * c0_765, high = z - x[6] * c1_848;
  const std::int32_t even[] = {sum + low, difference + high, difference - high, sum - low};
  const Odd odd = rotated({x[7], x[5], x[3], x[1]});
  const std::int32_t of[] = {odd.of1, odd.of3, odd.of5, odd.of7};
  for (int i = 0; i < block_side / 2; ++i) {
    x[i] = rounded(even[i] + of[i], shift);
    x[block_side - 1 - i] = rounded(even[i] - of[i], shift);
  }
}

/// A pass from places to frequencies.
constexpr void forward_pass(std::int32_t (&x)[block_side], int shift) {
  using namespace dct;
  std::int32_t sum[4]{}, difference[4]{};
  for (int i = 0; i < block_side / 2; ++i) {
    sum[i] = x[i] + x[block_side - 1 - i];
    difference[i] = x[i] - x[block_side - 1 - i];
  }
  const std::int32_t outer = sum[0] + sum[3], inner = sum[1] + sum[2];
  const std::int32_t outer_step = sum[0] - sum[3], inner_step = sum[1] - sum[2];
  const std::int32_t z = (inner_step + outer_step) * c0_541;
  const Odd odd = rotated({difference[3], difference[2], difference[1], difference[0]});
  x[0] = rounded((outer + inner) * (1 << fraction_bits), shift);
  x[4] = rounded((outer - inner) * (1 << fraction_bits), shift);
  x[2] = rounded(z + outer_step * c0_765, shift);
  x[6] = rounded(z - inner_step * c1_848, shift);
  x[7] = rounded(odd.of7, shift);
  x[5] = rounded(odd.of5, shift);
  x[3] = rounded(odd.of3, shift);
  x[1] = rounded(odd.of1, shift);
}

/// The sample for a number that the inverse transform ends with.
constexpr std::uint32_t sample_of(std::int32_t value) {
  constexpr std::int32_t middle = 128, largest = 255;
  const std::int32_t raised = value + middle;
  return static_cast<std::uint32_t>(raised < 0 ? 0 : raised > largest ? largest : raised);
}

/// A quantisation step, for dividing what the forward transform ends with. That is eight times as
/// large as a coefficient.
struct Divisor {
  std::uint32_t half = 0, reciprocal = 0;

  constexpr Divisor() = default;
  /// `step` is 1 to 8191.
  constexpr explicit Divisor(std::uint32_t step)
      : half(4 * step), reciprocal(~std::uint32_t{0} / (8 * step) + 1) {}

  /// The nearest number, away from zero where two are; exact if `value` has up to 16 bits.
  constexpr std::int32_t divide(std::int32_t value) const {
    const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
    const auto quotient = static_cast<std::int32_t>(high_product(magnitude + half, reciprocal));
    return value < 0 ? -quotient : quotient;
  }
};

}  // namespace qturn::jpeg
