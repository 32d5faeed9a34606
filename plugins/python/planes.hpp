// How an array is seen as images: which axes are rows, columns and channels, and how far apart its
// images are.
#ifndef QTURN_PYTHON_PLANES_HPP
#define QTURN_PYTHON_PLANES_HPP

#include <vector>

#include <qturn/view.hpp>
#include "plugins/python/arrays.hpp"

namespace qturn::python {

/// Where the channels are: in the last axis of three or more (`hwc`), or in one before the rows,
/// as any other axis (`chw`).
enum class Layout : std::uint8_t { hwc, chw };

/// "hwc" or "chw"; throws nanobind::value_error for another word.
Layout layout_of(nanobind::handle word);

/// Images of one shape in an array. The axes before those of the images only count them.
struct Planes {
  View first;
  Axes counts;
  Axes distances;            ///< in bytes, for each axis of `counts`
  bool interleaved = false;  ///< "chw", but each pixel's channels are side by side (channels_last)

  std::int64_t count() const;
};

/// Throws nanobind::value_error, which names the array `which`, where its pixels are not side by
/// side or it has too few axes. An array that can be seen both as planes and as interleaved pixels
/// (channels_last with one column) is seen as `interleaved` says.
Planes planes_of(const Array& array, Layout layout, const char* which, bool interleaved = false);

/// The shape of `shape` once its images are turned.
Axes turned_shape(const Axes& shape, Layout layout, Orientation orientation);

/// The axes of "chw" of this rank with the channels moved to the end, and back.
Axes channels_to_end(const Axes& axes);
Axes channels_from_end(int rank);

/// All images, one view each.
std::vector<View> views_of(const Planes& planes);

/// The distance between neighbours if all images are at equal distances, in the order of their
/// axes.
std::optional<std::int64_t> equal_distance(const Planes& planes);

}  // namespace qturn::python

#endif  // QTURN_PYTHON_PLANES_HPP
