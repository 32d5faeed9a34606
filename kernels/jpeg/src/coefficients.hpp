// What a turn does inside a block: it transposes the frequencies, and negates the odd ones of a
// mirrored axis. In zigzag order a transposition reverses each diagonal.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>

#include "kernels/jpeg/src/layout.hpp"
#include "kernels/jpeg/src/machine.hpp"

namespace qturn::jpeg {

/// Bit k of a set of coefficients is about coefficient k in zigzag order.
constexpr std::uint64_t transposed(std::uint64_t set) {
  const std::uint64_t backwards = reversed(set);
  std::uint64_t result = 0;
  int first = 0;
  for (int diagonal = 0; diagonal < 15; ++diagonal) {
    const int length = diagonal < 8 ? diagonal + 1 : 15 - diagonal;
    result |= (backwards >> (64 - first - length) & ((1ull << length) - 1)) << first;
    first += length;
  }
  return result;
}

/// Where a coefficient is in a block's set. The two halves of a set are searched one by one.
struct CoefficientPlace {
  std::uint32_t number = 0;
  /// The coefficients before it in its half. The highest bit is none; it says that it is negated.
  std::uint32_t before = 0;

  static constexpr CoefficientPlace of(std::uint32_t number, bool negated) {
    return {number, ((1u << number % 32) - 1) | (negated ? 1u << 31 : 0)};
  }
};

/// The order in which a turned block has the coefficients of its source.
struct Order {
  CoefficientPlace source[64]{};  ///< of coefficient k of the turned block
  bool transposes = false;
};

constexpr Order order_of(const Reading& reading) {
  Order order;
  order.transposes = reading.swap_axes;
  std::uint8_t number_at[64]{};
  for (std::uint8_t k = 0; k < 64; ++k) number_at[zigzag[k]] = k;
  for (int k = 0; k < 64; ++k) {
    const int row = zigzag[k] / 8, column = zigzag[k] % 8;
    const int v = reading.swap_axes ? column : row, u = reading.swap_axes ? row : column;
    const bool negated = (reading.from_right && u % 2 == 1) != (reading.from_bottom && v % 2 == 1);
    order.source[k] = CoefficientPlace::of(number_at[v * 8 + u], negated);
  }
  return order;
}

}  // namespace qturn::jpeg
