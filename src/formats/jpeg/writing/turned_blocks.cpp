#include "src/formats/jpeg/writing/turned_blocks.hpp"

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

namespace qturn::jpeg {

TurnedOrder::TurnedOrder(Orientation orientation) {
  const Reading r = reading(orientation);
  for (std::size_t k = 0; k < DCTSIZE2; ++k) {
    const unsigned v = zigzag[k] / DCTSIZE, u = zigzag[k] % DCTSIZE;
    const unsigned source_v = r.swap_axes ? u : v, source_u = r.swap_axes ? v : u;
    source_[k] = static_cast<std::uint8_t>(source_v * DCTSIZE + source_u);
    const bool negated =
        (r.from_right && source_u % 2 == 1) != (r.from_bottom && source_v % 2 == 1);
    const std::uint64_t bit = coefficient_bit(static_cast<int>(k));
    if (negated) negated_ |= bit;
    for (std::size_t bits = 0; bits < 256; ++bits) {
      if (bits >> source_u & 1) bits_of_row_[source_v][bits] |= bit;
    }
  }
}

const TurnedOrder& TurnedOrder::of(Orientation orientation) {
  static const std::array<TurnedOrder, 8> orders = [] {
    return std::array<TurnedOrder, 8>{
        TurnedOrder(all_orientations[0]), TurnedOrder(all_orientations[1]),
        TurnedOrder(all_orientations[2]), TurnedOrder(all_orientations[3]),
        TurnedOrder(all_orientations[4]), TurnedOrder(all_orientations[5]),
        TurnedOrder(all_orientations[6]), TurnedOrder(all_orientations[7])};
  }();
  return orders[static_cast<std::size_t>(orientation) - 1];
}

TurnedBlocks turned_blocks(const JpegBlockArray& source, JDIMENSION width, JDIMENSION height,
                           Orientation orientation) {
  const Reading r = reading(orientation);
  const std::ptrdiff_t column = DCTSIZE2;
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(source.blocks_per_row) * DCTSIZE2;
  const std::ptrdiff_t along_u = r.from_right ? -column : column;
  const std::ptrdiff_t along_v = r.from_bottom ? -row : row;
  TurnedBlocks turned;
  turned.width = r.swap_axes ? height : width;
  turned.height = r.swap_axes ? width : height;
  turned.origin = source.block(r.from_right ? width - 1 : 0, r.from_bottom ? height - 1 : 0);
  turned.x_step = r.swap_axes ? along_v : along_u;
  turned.y_step = r.swap_axes ? along_u : along_v;
  return turned;
}

}  // namespace qturn::jpeg
