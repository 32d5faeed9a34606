#include "src/formats/jpeg/writing/coefficient_sets.hpp"

#ifdef __x86_64__

#include <cpuid.h>

namespace qturn::jpeg {
namespace {

// __builtin_cpu_supports() of clang does not know it.
bool has_lzcnt() {
  constexpr unsigned leaf = 0x80000001, lzcnt = 1 << 5;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(leaf, &a, &b, &c, &d) != 0 && (c & lzcnt) != 0;
}

bool has_slow_bmi2() {
  return __builtin_cpu_is("bdver4") || __builtin_cpu_is("znver1") || __builtin_cpu_is("znver2");
}

}  // namespace

bool has_fast_bmi2() {
  static const bool has = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("popcnt") && has_lzcnt() && !has_slow_bmi2();
  return has;
}

}  // namespace qturn::jpeg

#endif
