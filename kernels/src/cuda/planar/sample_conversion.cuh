// Conversions between floats and the 16-bit floating-point numbers, and to bytes, by the machine's
// instructions: to the nearest, ties to even, with one NaN. The toolkit's headers for these types
// take a second to compile, and nothing else of them is needed.
#pragma once

#include <cstdint>

namespace qturn::device {

/// The half in the lower 16 bits.
__device__ __forceinline__ float half_to_float(std::uint32_t bits) {
  float value;
  asm("{.reg .b16 low, high;\nmov.b32 {low, high}, %1;\ncvt.f32.f16 %0, low;}"
      : "=f"(value)
      : "r"(bits));
  return value;
}

/// Two halves in one word.
__device__ __forceinline__ std::uint32_t to_halves(float low, float high) {
  std::uint32_t word;
#if __CUDA_ARCH__ >= 800
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
#else
  asm("{.reg .b16 low, high;\ncvt.rn.f16.f32 low, %1;\ncvt.rn.f16.f32 high, %2;\n"
      "mov.b32 %0, {low, high};}"
      : "=r"(word)
      : "f"(low), "f"(high));
#endif
  return word;
}

/// Two bfloat16s in one word.
__device__ __forceinline__ std::uint32_t to_bfloat16s(float low, float high) {
#if __CUDA_ARCH__ >= 800
  std::uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
#else
  const auto rounded = [](float value) {
    const std::uint32_t bits = __float_as_uint(value);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  };
  return rounded(low) | rounded(high) << 16;
#endif
}

/// Two bytes in the lower half of a word, before the lower half of `above`: limited to 0 to 255,
/// and 0 for NaN.
__device__ __forceinline__ std::uint32_t to_bytes(float low, float high, std::uint32_t above) {
  std::uint32_t word;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
      : "=r"(word)
      : "r"(__float2int_rn(high)), "r"(__float2int_rn(low)), "r"(above));
  return word;
}

}  // namespace qturn::device
