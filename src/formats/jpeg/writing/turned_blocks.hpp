// The blocks of a component of a turned picture, read from the source's blocks where they lie.
//
// A turn transposes the 64 frequencies of a block, and mirroring an axis negates the odd
// frequencies of that axis. So a turned block has the same numbers in another order, and nothing
// has to be moved. The coder only needs the coefficients that are not zero, in zigzag order, and
// looks up where each one lies. A table for each row of the block gives the set of these
// coefficients: it puts the row's eight bits in their places in the set.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <qturn/orientation.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/jpeg/src/t81.hpp"
#include "src/formats/jpeg/libjpeg/blocks.hpp"

namespace qturn::jpeg {

// Sets of a block's coefficients: 64 bits in zigzag order, the first coefficient's highest.
//
// In this order the bits of a set, moved together, are exactly what a progressive scan holds: a bit
// for each of some coefficients. BMI2 moves bits together in one instruction. Not all processors
// have it, and on some it is slow, so the code that needs it is compiled twice.

constexpr std::uint64_t coefficient_bit(int k) { return std::uint64_t{1} << 63 >> k; }

/// The coefficients from `k`, which is at most 63, to the last.
constexpr std::uint64_t coefficients_from(int k) { return ~std::uint64_t{0} >> k; }

constexpr std::uint64_t coefficients_before(int k) { return ~coefficients_from(k); }

/// The first coefficient of a set that is not empty.
constexpr int first_coefficient(std::uint64_t set) { return std::countl_zero(set); }

struct PortableBits {
  /// The bits of `word` at these places, moved together at the low end.
  static std::uint64_t gathered(std::uint64_t word, std::uint64_t places) {
    std::uint64_t bits = 0;
    for (; places != 0; places &= ~coefficient_bit(first_coefficient(places)))
      bits = bits << 1 | (word >> (63 - first_coefficient(places)) & 1);
    return bits;
  }
};

#ifdef __x86_64__

struct Bmi2Bits {
  [[gnu::target("bmi2")]] static std::uint64_t gathered(std::uint64_t word, std::uint64_t places) {
    return _pext_u64(word, places);
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

/// The order in which a turned picture has the coefficients of a block.
class TurnedOrder {
 public:
  /// One of eight with static lifetime.
  static const TurnedOrder& of(Orientation orientation);

  explicit TurnedOrder(Orientation orientation);

  /// Coefficient `k` of the turned block, in zigzag order.
  int value(const JCOEF* block, int k) const {
    const int stored = block[source_[static_cast<std::size_t>(k)]];
    return (negated_ & coefficient_bit(k)) != 0 ? -stored : stored;
  }

  /// The coefficients of the turned block with a magnitude of at least 1 << `low`.
  std::uint64_t at_least(const JCOEF* block, int low) const;

  /// The set of coefficients below zero.
  std::uint64_t negative(const JCOEF* block) const;

  /// The set of coefficients whose magnitude has bit `low` set.
  std::uint64_t with_bit(const JCOEF* block, int low) const;

 private:
  std::uint64_t in_order(std::uint64_t stored) const;

  std::array<std::uint8_t, DCTSIZE2> source_;
  std::uint64_t negated_ = 0;
  std::array<std::array<std::uint64_t, 256>, DCTSIZE> bits_of_row_{};
};

/// A component of the turned picture.
struct TurnedBlocks {
  JDIMENSION width = 0, height = 0;  ///< in blocks
  const JCOEF* origin = nullptr;
  std::ptrdiff_t x_step = 0, y_step = 0;  ///< in coefficients

  const JCOEF* block(JDIMENSION x, JDIMENSION y) const {
    return origin + static_cast<std::ptrdiff_t>(x) * x_step +
           static_cast<std::ptrdiff_t>(y) * y_step;
  }

  /// Prefetches blocks that are needed soon. In a turn, the blocks of a row lie in different rows
  /// of the source, where the processor does not expect them.
  void expect(JDIMENSION x, JDIMENSION y) const {
    constexpr JDIMENSION ahead = 6;
    if (x + ahead >= width) return;
    const JCOEF* later = block(x + ahead, y);
    __builtin_prefetch(later);
    __builtin_prefetch(later + DCTSIZE2 / 2);
  }
};

/// The first `width` x `height` blocks of `source`, turned.
TurnedBlocks turned_blocks(const JpegBlockArray& source, JDIMENSION width, JDIMENSION height,
                           Orientation orientation);

// Bit i stands for the coefficient at place i of the stored block.
namespace stored_bits {

#ifdef __SSE2__

// Calls test(eight coefficients, eight coefficients), which gives a byte of all ones or of zeros
// for each, or a byte whose highest bit counts.
template <typename Test>
std::uint64_t collect(const JCOEF* block, Test test) {
  std::uint64_t bits = 0;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const auto* at = reinterpret_cast<const __m128i*>(block + 16 * quarter);
    const __m128i bytes = test(_mm_loadu_si128(at), _mm_loadu_si128(at + 1));
    bits |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(bytes))} << 16 * quarter;
  }
  return bits;
}

inline __m128i magnitude(__m128i values) {
  const __m128i sign = _mm_srai_epi16(values, 15);
  return _mm_sub_epi16(_mm_xor_si128(values, sign), sign);
}

inline std::uint64_t at_least(const JCOEF* block, int low) {
  const __m128i zero = _mm_setzero_si128();
  if (low == 0) {
    return ~collect(block, [&](__m128i a, __m128i b) {
      return _mm_packs_epi16(_mm_cmpeq_epi16(a, zero), _mm_cmpeq_epi16(b, zero));
    });
  }
  return ~collect(block, [&](__m128i a, __m128i b) {
    return _mm_packs_epi16(_mm_cmpeq_epi16(_mm_srli_epi16(magnitude(a), low), zero),
                           _mm_cmpeq_epi16(_mm_srli_epi16(magnitude(b), low), zero));
  });
}

inline std::uint64_t negative(const JCOEF* block) {
  return collect(block, [](__m128i a, __m128i b) { return _mm_packs_epi16(a, b); });
}

inline std::uint64_t with_bit(const JCOEF* block, int low) {
  return collect(block, [&](__m128i a, __m128i b) {
    // The bit becomes the sign.
    return _mm_packs_epi16(_mm_slli_epi16(magnitude(a), 15 - low),
                           _mm_slli_epi16(magnitude(b), 15 - low));
  });
}

#else

template <typename Test>
std::uint64_t collect(const JCOEF* block, Test test) {
  std::uint64_t bits = 0;
  for (int i = 0; i < DCTSIZE2; ++i) bits |= std::uint64_t{test(block[i])} << i;
  return bits;
}

inline int magnitude(int value) { return value < 0 ? -value : value; }

inline std::uint64_t at_least(const JCOEF* block, int low) {
  return collect(block, [&](int value) { return magnitude(value) >> low != 0; });
}

inline std::uint64_t negative(const JCOEF* block) {
  return collect(block, [](int value) { return value < 0; });
}

inline std::uint64_t with_bit(const JCOEF* block, int low) {
  return collect(block, [&](int value) { return (magnitude(value) >> low & 1) != 0; });
}

#endif

}  // namespace stored_bits

inline std::uint64_t TurnedOrder::in_order(std::uint64_t stored) const {
  std::uint64_t ordered = 0;
  for (std::size_t row = 0; row < DCTSIZE; ++row) {
    ordered |= bits_of_row_[row][stored >> row * DCTSIZE & 0xFF];
  }
  return ordered;
}

inline std::uint64_t TurnedOrder::at_least(const JCOEF* block, int low) const {
  return in_order(stored_bits::at_least(block, low));
}

// Zero has no sign, so this says nothing where at_least(block, 0) does not.
inline std::uint64_t TurnedOrder::negative(const JCOEF* block) const {
  return in_order(stored_bits::negative(block)) ^ negated_;
}

inline std::uint64_t TurnedOrder::with_bit(const JCOEF* block, int low) const {
  return in_order(stored_bits::with_bit(block, low));
}

}  // namespace qturn::jpeg
