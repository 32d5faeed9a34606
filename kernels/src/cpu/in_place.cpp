// Turning a picture within its own memory, on the CPU.
//
// Mirrors exchange pairs of pixels or whole rows, a transpose the pixels on either side of the
// diagonal, a quarter turn the four pixels that follow one another around the middle. The last two
// go in blocks, so that the rows that they touch stay in the first-level cache until they are done.
#include <qturn/cpu.hpp>

#include <algorithm>
#include <cstring>

#include "kernels/src/pixel_sizes.hpp"
#include "kernels/src/reduced.hpp"
#include "kernels/src/shapes.hpp"

namespace qturn {
namespace {

constexpr std::int64_t block = 32;

// `pixel_bytes` is std::integral_constant for the common sizes, else int.
template <class PixelBytes>
class InPlace {
 public:
  InPlace(View view, PixelBytes pixel_bytes) : view_(view), pixel_bytes_(pixel_bytes) {}

  void flop() {
    for (std::int64_t y = 0; y < view_.height; ++y) mirror_row(y);
  }

  void flip() {
    const auto bytes = static_cast<std::size_t>(view_.row_bytes());
    for (std::int64_t y = 0; y < view_.height / 2; ++y) {
      unsigned char* row = at(0, y);
      std::swap_ranges(row, row + bytes, at(0, view_.height - 1 - y));
    }
  }

  void rotate180() {
    for (std::int64_t y = 0; y < view_.height / 2; ++y) {
      unsigned char* left = at(0, y);
      unsigned char* right = at(view_.width - 1, view_.height - 1 - y);
      for (std::int64_t x = 0; x < view_.width; ++x) {
        exchange(left, right);
        left += pixel_bytes_;
        right -= pixel_bytes_;
      }
    }
    if (view_.height % 2 == 1) mirror_row(view_.height / 2);
  }

  void transpose() {
    for_blocks(view_.width, view_.height,
               [&](std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1) {
                 for (std::int64_t y = y0; y < y1; ++y) {
                   for (std::int64_t x = std::max(x0, y + 1); x < x1; ++x)
                     exchange(at(x, y), at(y, x));
                 }
               });
  }

  // Clockwise: pixel (x, y) gets what (y, n - 1 - x) held.
  void rotate90() {
    const std::int64_t last = view_.width - 1;
    for_blocks((view_.width + 1) / 2, view_.height / 2,
               [&](std::int64_t x0, std::int64_t x1, std::int64_t y0, std::int64_t y1) {
                 for (std::int64_t y = y0; y < y1; ++y) {
                   for (std::int64_t x = x0; x < x1; ++x) {
                     unsigned char* a = at(x, y);
                     unsigned char* b = at(y, last - x);
                     unsigned char* c = at(last - x, last - y);
                     unsigned char* d = at(last - y, x);
                     unsigned char kept[max_pixel_bytes];
                     std::memcpy(kept, a, pixel_bytes_);
                     std::memcpy(a, b, pixel_bytes_);
                     std::memcpy(b, c, pixel_bytes_);
                     std::memcpy(c, d, pixel_bytes_);
                     std::memcpy(d, kept, pixel_bytes_);
                   }
                 }
               });
  }

 private:
  unsigned char* at(std::int64_t x, std::int64_t y) const {
    return static_cast<unsigned char*>(view_.data) + y * view_.pitch + x * pixel_bytes_;
  }

  void exchange(unsigned char* a, unsigned char* b) const {
    unsigned char kept[max_pixel_bytes];
    std::memcpy(kept, a, pixel_bytes_);
    std::memcpy(a, b, pixel_bytes_);
    std::memcpy(b, kept, pixel_bytes_);
  }

  void mirror_row(std::int64_t y) {
    unsigned char* left = at(0, y);
    unsigned char* right = at(view_.width - 1, y);
    for (; left < right; left += pixel_bytes_, right -= pixel_bytes_) exchange(left, right);
  }

  template <class Work>
  static void for_blocks(std::int64_t width, std::int64_t height, Work work) {
    for (std::int64_t y = 0; y < height; y += block) {
      for (std::int64_t x = 0; x < width; x += block) {
        work(x, std::min(x + block, width), y, std::min(y + block, height));
      }
    }
  }

  View view_;
  PixelBytes pixel_bytes_;
};

template <class PixelBytes>
void turn(View view, Orientation orientation, PixelBytes pixel_bytes) {
  const Reading r = reading(orientation);
  if (!r.swap_axes) {
    InPlace<PixelBytes> picture(view, pixel_bytes);
    if (r.from_right && r.from_bottom) return picture.rotate180();
    if (r.from_right) return picture.flop();
    if (r.from_bottom) return picture.flip();
    return;
  }
  // Seen upside down, transverse is transpose and rotate270 is rotate90.
  InPlace<PixelBytes> picture(r.from_right ? upside_down(view) : view, pixel_bytes);
  if (r.from_right == r.from_bottom) {
    picture.transpose();
  } else {
    picture.rotate90();
  }
}

}  // namespace

void transform_in_place(View view, Orientation orientation) {
  check_in_place(view, orientation);
  if (view.empty()) return;
  with_pixel(view.pixel_bytes, [&](auto known) {
    if constexpr (known.value == 0) {
      turn(view, orientation, view.pixel_bytes);
    } else {
      turn(view, orientation, known);
    }
  });
}

}  // namespace qturn
