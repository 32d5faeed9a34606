// C++23's std::mdspan as a view. Empty where the standard library has no <mdspan>.
#ifndef QTURN_MDSPAN_HPP
#define QTURN_MDSPAN_HPP

#include <qturn/view.hpp>

#ifdef __has_include
#if __has_include(<version>)
#include <version>
#endif
#endif

#ifdef __cpp_lib_mdspan
#include <array>
#include <cstddef>
#include <cstdint>
#include <mdspan>
#include <type_traits>

namespace qturn {

/// The view of a span of two axes (rows, columns) or three (with channels); a ConstView if its
/// items are const.
///
/// Throws std::invalid_argument for what view_of_array() refuses, such as std::layout_left.
template <class Item, class Extents, class Layout>
auto view_of(const std::mdspan<Item, Extents, Layout>& span) {
  static_assert(std::is_trivially_copyable_v<Item>, "pixels are moved as bytes");
  constexpr std::size_t rank = Extents::rank();
  std::array<std::int64_t, rank> shape{}, strides{};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    shape[axis] = static_cast<std::int64_t>(span.extent(axis));
    strides[axis] = static_cast<std::int64_t>(span.stride(axis));
  }
  using Data = std::conditional_t<std::is_const_v<Item>, const void, void>;
  return view_of_array<Data>(span.data_handle(), static_cast<int>(sizeof(Item)),
                             static_cast<int>(rank), shape.data(), strides.data());
}

}  // namespace qturn
#endif

#endif  // QTURN_MDSPAN_HPP
