// A rectangle of pixels in memory that somebody else owns.
#ifndef QTURN_VIEW_HPP
#define QTURN_VIEW_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

namespace qturn {

/// A rectangle of `height` rows of `width` pixels of `pixel_bytes` (1 to 256) each. `data` is row
/// 0, column 0. Row y begins `y * pitch` bytes after `data`. A negative pitch views a picture
/// upside down.
struct ConstView {
  const void* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;
  int pixel_bytes = 1;

  /// Whether there is no pixel.
  constexpr bool empty() const { return width == 0 || height == 0; }
  /// Bytes of the pixels of a row, without the padding after them.
  constexpr std::int64_t row_bytes() const { return width * pixel_bytes; }
};

/// A ConstView whose pixels may be written.
struct View {
  void* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;
  int pixel_bytes = 1;

  constexpr operator ConstView() const { return {data, width, height, pitch, pixel_bytes}; }
  /// Whether there is no pixel.
  constexpr bool empty() const { return width == 0 || height == 0; }
  /// Bytes of the pixels of a row, without the padding after them.
  constexpr std::int64_t row_bytes() const { return width * pixel_bytes; }
};

/// The `width` x `height` pixels of `view` whose first one is its pixel (x, y). Takes and returns
/// a View or a ConstView.
///
/// Throws std::invalid_argument when they do not all lie in `view`.
template <class AnyView>
AnyView sub_view(AnyView view, std::int64_t x, std::int64_t y, std::int64_t width,
                 std::int64_t height) {
  if (x < 0 || y < 0 || width < 0 || height < 0 || x > view.width - width ||
      y > view.height - height) {
    throw std::invalid_argument("sub-view " + std::to_string(width) + "x" + std::to_string(height) +
                                " at " + std::to_string(x) + "," + std::to_string(y) +
                                " does not lie in a view of " + std::to_string(view.width) + "x" +
                                std::to_string(view.height));
  }
  using Byte = decltype(view.data);
  const std::int64_t offset = y * view.pitch + x * view.pixel_bytes;
  view.data = reinterpret_cast<Byte>(reinterpret_cast<std::uintptr_t>(view.data) +
                                     static_cast<std::uintptr_t>(offset));
  view.width = width;
  view.height = height;
  return view;
}

}  // namespace qturn

#endif  // QTURN_VIEW_HPP
