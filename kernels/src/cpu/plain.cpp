// The CPU's three motions in portable C++: the reference for the vector code, and the code for the
// pixel sizes and the edges that it does not handle.
//
// A transpose reads along one axis and writes along the other, so one of the two strides from cache
// line to cache line. Worked in square blocks, the lines of a block stay in the first-level cache
// until they are used up. The size of a pixel is a template argument wherever it is common, so that
// moving one is a load and a store.
#include <algorithm>
#include <cstring>

#include "kernels/src/cpu/paths.hpp"
#include "kernels/src/cpu/rows.hpp"
#include "kernels/src/pixel_sizes.hpp"

namespace qturn {
namespace {

// A packed picture is one long row.
void copy_rows(ConstView src, View dst) {
  const auto bytes = static_cast<std::size_t>(dst.row_bytes());
  if (src.pitch == dst.row_bytes() && dst.pitch == dst.row_bytes()) {
    std::memcpy(dst.data, src.data, bytes * static_cast<std::size_t>(dst.height));
    return;
  }
  for (std::int64_t y = 0; y < dst.height; ++y) std::memcpy(row_of(dst, y), row_of(src, y), bytes);
}

// `pixel_bytes` is std::integral_constant for the common sizes, else int.
template <class PixelBytes>
void mirror_rows(ConstView src, View dst, PixelBytes pixel_bytes) {
  for (std::int64_t y = 0; y < dst.height; ++y) {
    std::uint8_t* out = row_of(dst, y);
    const std::uint8_t* in = row_of(src, y) + (dst.width - 1) * pixel_bytes;
    for (std::int64_t x = 0; x < dst.width; ++x) {
      std::memcpy(out + x * pixel_bytes, in - x * pixel_bytes, pixel_bytes);
    }
  }
}

template <class PixelBytes>
void transpose(ConstView src, View dst, PixelBytes pixel_bytes) {
  constexpr std::int64_t block = 32;
  for (std::int64_t y0 = 0; y0 < dst.height; y0 += block) {
    const std::int64_t y1 = std::min(y0 + block, dst.height);
    for (std::int64_t x0 = 0; x0 < dst.width; x0 += block) {
      const std::int64_t x1 = std::min(x0 + block, dst.width);
      for (std::int64_t y = y0; y < y1; ++y) {
        std::uint8_t* out = row_of(dst, y) + x0 * pixel_bytes;
        const std::uint8_t* in = row_of(src, x0) + y * pixel_bytes;
        for (std::int64_t x = x0; x < x1; ++x) {
          std::memcpy(out, in, pixel_bytes);
          out += pixel_bytes;
          in += src.pitch;
        }
      }
    }
  }
}

template <class PixelBytes>
void move(const Reduced& reduced, PixelBytes pixel_bytes) {
  if (reduced.motion == Motion::mirror) {
    mirror_rows(reduced.src, reduced.dst, pixel_bytes);
  } else {
    transpose(reduced.src, reduced.dst, pixel_bytes);
  }
}

}  // namespace

void move_plain(const Reduced& reduced, Store) {
  if (reduced.motion == Motion::copy) {
    copy_rows(reduced.src, reduced.dst);
  } else {
    const int pixel_bytes = reduced.src.pixel_bytes;
    with_pixel(pixel_bytes, [&](auto known) {
      if constexpr (known.value == 0) {
        move(reduced, pixel_bytes);
      } else {
        move(reduced, known);
      }
    });
  }
}

}  // namespace qturn
