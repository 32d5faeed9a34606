// Sets of coefficients: both ways to move their bits, against the definition.
#include <catch2/catch_test_macros.hpp>

#include <random>

#include "src/formats/jpeg/writing/turned_blocks.hpp"

namespace jpeg_coefficient_sets_test {

namespace {

using qturn::jpeg::PortableBits;

// With few, half and most of the coefficients, and none and all.
std::uint64_t random_set(std::mt19937_64& random, int kind) {
  switch (kind % 5) {
    case 0:
      return random() & random() & random();
    case 1:
      return random();
    case 2:
      return random() | random();
    case 3:
      return 0;
    default:
      return ~std::uint64_t{0};
  }
}

template <class SetBits>
void check_against_definition() {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t set = random_set(random, round), from = random();
    std::uint64_t gathered = 0;
    for (int k = 0; k < 64; ++k) {
      if ((set & qturn::jpeg::coefficient_bit(k)) == 0) continue;
      gathered = gathered << 1 | ((from & qturn::jpeg::coefficient_bit(k)) != 0 ? 1 : 0);
    }
    CHECK(SetBits::gathered(from, set) == gathered);
  }
}

}  // namespace

TEST_CASE("Bits of a set are moved together, the first coefficient's highest") {
  check_against_definition<PortableBits>();
}

#ifdef __x86_64__
TEST_CASE("BMI2 moves the bits of sets as the portable code does") {
  if (!qturn::jpeg::has_fast_bmi2()) SKIP("this processor has no BMI2, or a slow one");
  check_against_definition<qturn::jpeg::Bmi2Bits>();
}
#endif

TEST_CASE("Coefficients are counted from the highest bit") {
  static_assert(qturn::jpeg::coefficient_bit(0) == 0x8000'0000'0000'0000);
  static_assert(qturn::jpeg::coefficient_bit(63) == 1);
  static_assert(qturn::jpeg::coefficients_from(63) == 1);
  static_assert(qturn::jpeg::coefficients_before(0) == 0);
  for (int k = 0; k < 64; ++k) {
    CHECK(qturn::jpeg::first_coefficient(qturn::jpeg::coefficient_bit(k)) == k);
    CHECK(qturn::jpeg::first_coefficient(qturn::jpeg::coefficients_from(k)) == k);
    CHECK((qturn::jpeg::coefficients_before(k) ^ qturn::jpeg::coefficients_from(k)) ==
          ~std::uint64_t{0});
  }
}

}  // namespace jpeg_coefficient_sets_test
