// What floats become, for the CPU: the 16-bit floating-point numbers, by integer arithmetic, and
// bytes. They round to the nearest, ties to even, and have one NaN, as on GPUs.
#pragma once

#include <bit>
#include <cstdint>

namespace qturn {

inline constexpr std::uint32_t float_infinity_bits = 0x7f800000;
inline constexpr std::uint16_t half_nan = 0x7fff;

inline std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t size = bits & 0x7fffffff;
  if (size > float_infinity_bits) return half_nan;
  const auto with_sign = [&](std::uint32_t half) {
    return static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000));
  };
  if (size >= std::bit_cast<std::uint32_t>(65536.0f)) return with_sign(0x7c00);
  // Below 2^-14 the last bit is always worth 2^-24, as it is in floats from 0.5 on.
  if (size < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    const float shifted = std::bit_cast<float>(size) + 0.5f;
    return with_sign(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f));
  }
  // 13 bits go; the exponent begins at 15 instead of 127. A carry ends as the next exponent, at
  // last as infinity.
  const std::uint32_t rounded = size + 0xfff + (size >> 13 & 1);
  return with_sign((rounded >> 13) - ((127 - 15) << 10));
}

inline float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t exponent = half >> 10 & 31u;
  const std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  if (exponent == 31) return std::bit_cast<float>(sign | float_infinity_bits | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

inline std::uint16_t bfloat16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffff) > float_infinity_bits) return half_nan;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Limited to 0 to 255; 0 if it is not a number.
inline std::uint8_t byte_of(float value) {
  const float limited = value > 0 ? (value < 255 ? value : 255.0f) : 0.0f;
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(limited + 0x1p23f));  // an integer
}

}  // namespace qturn
