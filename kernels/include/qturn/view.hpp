// A rectangle of pixels in memory that somebody else owns.
#ifndef QTURN_VIEW_HPP
#define QTURN_VIEW_HPP

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

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

  /// Whether it has no pixels.
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
  /// Whether it has no pixels.
  constexpr bool empty() const { return width == 0 || height == 0; }
  /// Bytes of the pixels of a row, without the padding after them.
  constexpr std::int64_t row_bytes() const { return width * pixel_bytes; }
};

/// The view of an array of `rank` axes: rows, columns and, if there are three, channels, whose
/// items are one pixel. `shape` and `strides` have one number for each axis, counted in items of
/// `item_bytes`. `Data` is void for a View, const void for a ConstView.
///
/// Throws std::invalid_argument, with what was found and what was expected, for another rank, for a
/// negative size, for pixels that are not 1 to 256 bytes, and where the items of a pixel or the
/// pixels of a row do not follow each other. Rows may be any distance apart, also a negative one.
/// The stride of an axis with one item, or of an array with none, does not matter.
template <class Data>
auto view_of_array(Data* data, int item_bytes, int rank, const std::int64_t* shape,
                   const std::int64_t* strides) {
  const auto require = [](bool is_so, const std::string& found, const std::string& expected) {
    if (!is_so) throw std::invalid_argument(found + ", expected " + expected);
  };
  require(rank == 2 || rank == 3, "the array has " + std::to_string(rank) + " axes",
          "2 (rows, columns) or 3 (with channels)");
  bool is_empty = false;
  for (int axis = 0; axis < rank; ++axis) {
    require(shape[axis] >= 0,
            "axis " + std::to_string(axis) + " has " + std::to_string(shape[axis]) + " items",
            "0 or more");
    is_empty = is_empty || shape[axis] == 0;
  }
  constexpr std::int64_t most_pixel_bytes = 256;
  const std::int64_t channels = rank == 3 ? shape[2] : 1;
  require(item_bytes >= 1 && item_bytes <= most_pixel_bytes &&
              channels <= most_pixel_bytes / item_bytes && channels > 0,
          "a pixel has " + std::to_string(channels) + " x " + std::to_string(item_bytes) + " bytes",
          "1 to 256");
  require(is_empty || channels == 1 || strides[2] == 1,
          "the channels are " + std::to_string(strides[rank - 1]) + " items apart", "1");
  require(is_empty || shape[1] == 1 || strides[1] == channels,
          "the columns are " + std::to_string(strides[1]) + " items apart",
          std::to_string(channels));
  using Found = std::conditional_t<std::is_const_v<Data>, ConstView, View>;
  return Found{data, shape[1], shape[0], strides[0] * item_bytes,
               static_cast<int>(channels) * item_bytes};
}

/// The `width` x `height` pixels of `view` whose first one is its pixel (x, y). Takes and returns
/// a View or a ConstView.
///
/// Throws std::invalid_argument unless all of them lie in `view`.
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
