// How an array is seen as images: which axes are rows, columns and channels, and how far apart its
// images are. A view whose rows or columns are reversed or exchanged is an orientation of what is
// in memory, so it costs nothing: the orientation of a call is composed with it.
#pragma once

#include <vector>

#include <qturn/view.hpp>
#include "plugins/python/arrays.hpp"

namespace qturn::python {

/// Where the channels are: in the last axis of three or more (`hwc`), or in one before the rows,
/// as any other axis (`chw`).
enum class Layout : std::uint8_t { hwc, chw };

/// "hwc" or "chw"; throws nanobind::value_error for another word.
Layout layout_of(nanobind::handle word);

/// Images of one shape in an array. The axes before the images' own only count them.
struct Planes {
  View first;                                ///< as it lies in memory
  Orientation seen = Orientation::identity;  ///< what the array makes of each image in memory
  Axes counts;
  Axes distances;            ///< in bytes, for each axis of `counts`
  bool interleaved = false;  ///< "chw", but each pixel's channels are side by side (channels_last)

  std::int64_t count() const;
};

/// Nothing where the pixels of neither a row nor a column are side by side, or rows overlap. Throws
/// nanobind::value_error, which names the array `which`, where it has too few axes. An array that
/// can be seen both as planes and as interleaved pixels (channels_last with one column) is seen as
/// `interleaved` says.
std::optional<Planes> find_planes(const Array& array, Layout layout, const char* which,
                                  bool interleaved = false);

/// The same; throws nanobind::value_error where find_planes() finds none.
Planes planes_of(const Array& array, Layout layout, const char* which, bool interleaved = false);

/// What becomes of the image in memory if what is seen of it is turned, and is to be seen in `to`.
inline Orientation in_memory(const Planes& from, Orientation orientation, const Planes& to) {
  return compose(compose(from.seen, orientation), inverse(to.seen));
}

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
