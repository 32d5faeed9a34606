// Sets of a block's coefficients: 64 bits in zigzag order, the first coefficient's highest.
//
// In this order the bits of a set, moved together, are exactly what a progressive scan holds: a bit
// for each of some coefficients. BMI2 moves bits together in one instruction. Not all processors
// have it, and on some it is slow, so the code that needs it is compiled twice.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>

namespace qturn::jpeg {

constexpr std::uint64_t coefficient_bit(int k) { return std::uint64_t{1} << 63 >> k; }

/// The coefficients from `k`, which is at most 63, to the last.
constexpr std::uint64_t coefficients_from(int k) { return ~std::uint64_t{0} >> k; }

constexpr std::uint64_t coefficients_before(int k) { return ~coefficients_from(k); }

/// The first coefficient of a set that is not empty.
constexpr int first_coefficient(std::uint64_t set) { return std::countl_zero(set); }

struct PortableBits {
  /// The bits of `from` at the places of `set`, moved together at the low end.
  static std::uint64_t gathered(std::uint64_t from, std::uint64_t set) {
    std::uint64_t bits = 0;
    for (; set != 0; set &= ~coefficient_bit(first_coefficient(set))) {
      bits = bits << 1 | (from >> (63 - first_coefficient(set)) & 1);
    }
    return bits;
  }
};

#ifdef __x86_64__

struct Bmi2Bits {
  [[gnu::target("bmi2")]] static std::uint64_t gathered(std::uint64_t from, std::uint64_t set) {
    return _pext_u64(from, set);
  }
};

/// `work` with everything that it calls, compiled for BMI2.
template <class Work>
[[gnu::target("bmi,bmi2,lzcnt,popcnt"), gnu::flatten]] auto compiled_for_bmi2(const Work& work) {
  return work(Bmi2Bits{});
}

/// Whether this processor has BMI2 and what came with it, and not as a loop in microcode as AMD's
/// had before 2020.
bool has_fast_bmi2();

/// Calls `work` with the best of the above for this processor.
template <class Work>
auto with_best_bits(const Work& work) {
  return has_fast_bmi2() ? compiled_for_bmi2(work) : work(PortableBits{});
}

#else

template <class Work>
auto with_best_bits(const Work& work) {
  return work(PortableBits{});
}

#endif

}  // namespace qturn::jpeg
