// The passes of a resized picture with Highway's vectors, compiled once for each instruction set.
//
// Other rows are sums of whole rows: a vector of samples at a time. Other columns are sums within a
// row, so the channels of a pixel are the lanes, four of them, and a row is copied first to where
// the last pixel may be read with the byte after it. Pixels of 1 and 2 bytes take the plain way.
#include <cstring>
#include <vector>

#include "kernels/src/cpu/instruction_sets.hpp"
#include "kernels/src/cpu/resize_passes.hpp"
#include "kernels/src/cpu/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/src/cpu/resize_vector.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if HWY_TARGET & (HWY_SSSE3 | HWY_AVX2 | HWY_AVX3 | HWY_NEON)
HWY_BEFORE_NAMESPACE();
namespace qturn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

void make_columns(ConstView src, int first, const WeighedAxis& axis, View dst) {
  if (src.pixel_bytes != 3) return make_columns_plain(src, first, axis, dst);
  const hn::FixedTag<std::int32_t, 4> sums;
  const hn::Rebind<std::uint8_t, decltype(sums)> bytes;
  std::vector<std::uint8_t> row(at(src.row_bytes()) + 1);
  std::vector<std::uint8_t> made(at(dst.row_bytes()) + 1);
  for (std::int64_t y = 0; y < dst.height; ++y) {
    std::memcpy(row.data(), row_of(src, y), row.size() - 1);
    std::uint8_t* to = made.data();
    for (std::int64_t x = 0; x < dst.width; ++x, to += 3) {
      const Taps taps = axis.taps[at(x)];
      const int* weights = axis.weights_of(x);
      const std::uint8_t* from = row.data() + std::int64_t{taps.first - first} * 3;
      auto sum = hn::Set(sums, one_half);
      for (int k = 0; k < taps.count; ++k, from += 3) {
        const auto pixel = hn::PromoteTo(sums, hn::LoadU(bytes, from));
        sum = hn::Add(sum, hn::Mul(pixel, hn::Set(sums, weights[k])));
      }
      const auto shifted = hn::ShiftRight<ResizedAxis::fraction_bits>(sum);
      hn::StoreU(hn::DemoteTo(bytes, shifted), bytes, to);
    }
    std::memcpy(row_of(dst, y), made.data(), made.size() - 1);
  }
}

void make_rows(ConstView src, int first, const WeighedAxis& axis, View dst) {
  const hn::ScalableTag<std::int32_t> sums;
  const hn::Rebind<std::uint8_t, decltype(sums)> bytes;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(sums));
  const std::int64_t whole = dst.row_bytes() / (4 * lanes) * (4 * lanes);
  for (std::int64_t y = 0; y < dst.height; ++y) {
    const Taps taps = axis.taps[at(y)];
    const int* weights = axis.weights_of(y);
    const std::uint8_t* rows = row_of(src, taps.first - first);
    std::uint8_t* to = row_of(dst, y);
    for (std::int64_t x = 0; x < whole; x += 4 * lanes) {
      auto a = hn::Set(sums, one_half);
      auto b = a;
      auto c = a;
      auto d = a;
      const std::uint8_t* from = rows + x;
      for (int k = 0; k < taps.count; ++k, from += src.pitch) {
        const auto weight = hn::Set(sums, weights[k]);
        const auto product = [&](std::int64_t vector) {
          return hn::Mul(hn::PromoteTo(sums, hn::LoadU(bytes, from + vector * lanes)), weight);
        };
        a = hn::Add(a, product(0));
        b = hn::Add(b, product(1));
        c = hn::Add(c, product(2));
        d = hn::Add(d, product(3));
      }
      const auto put = [&](auto sum, std::int64_t vector) {
        const auto shifted = hn::ShiftRight<ResizedAxis::fraction_bits>(sum);
        hn::StoreU(hn::DemoteTo(bytes, shifted), bytes, to + x + vector * lanes);
      };
      put(a, 0);
      put(b, 1);
      put(c, 2);
      put(d, 3);
    }
    for (std::int64_t x = whole; x < dst.row_bytes(); ++x) {
      int sum = one_half;
      for (int k = 0; k < taps.count; ++k) sum += rows[k * src.pitch + x] * weights[k];
      to[x] = static_cast<std::uint8_t>(limited(sum));
    }
  }
}

}  // namespace qturn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
