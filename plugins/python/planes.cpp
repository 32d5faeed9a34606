#include "plugins/python/planes.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

[[noreturn]] void refuse_strides(const Array& array, Layout layout, const char* which) {
  throw nb::value_error((std::string(which) + " of shape " + text(array.shape) +
                         " has strides of " + text(array.strides) +
                         " bytes: the pixels of a row must be side by side" +
                         (layout == Layout::hwc ? ", and the channels of a pixel" : "") +
                         "; pass its .contiguous() (PyTorch), or a copy in C order")
                            .c_str());
}

View view_of(const Array& array, std::int64_t height, std::int64_t width, std::int64_t pitch,
             std::int64_t pixel_bytes, const char* which) {
  if (pixel_bytes < 1 || pixel_bytes > 256) {
    throw nb::value_error((std::string(which) + " of shape " + text(array.shape) +
                           " has pixels of " + std::to_string(pixel_bytes) +
                           " bytes, expected 1 to 256; channels before the rows are layout=\"chw\"")
                              .c_str());
  }
  View view;
  view.data = array.data;
  view.width = width;
  view.height = height;
  view.pitch = height > 1 ? pitch : width * pixel_bytes;
  view.pixel_bytes = static_cast<int>(pixel_bytes);
  return view;
}

}  // namespace

Layout layout_of(nb::handle word) {
  const auto name = text(word);
  if (name == "hwc") return Layout::hwc;
  if (name == "chw") return Layout::chw;
  throw nb::value_error(("layout is \"" + name + "\", expected hwc or chw").c_str());
}

std::int64_t Planes::count() const {
  std::int64_t count = 1;
  for (int axis = 0; axis < counts.rank; ++axis) count *= counts[axis];
  return count;
}

Planes planes_of(const Array& array, Layout layout, const char* which, bool interleaved) {
  const int rank = array.shape.rank;
  if (rank < 2) {
    throw nb::value_error((std::string(which) + " of shape " + text(array.shape) +
                           " has no rows and columns, expected at least two axes")
                              .c_str());
  }
  const std::int64_t item = array.item_bytes;
  const auto together = [&](int axis, std::int64_t stride) {
    return array.shape[axis] <= 1 || array.strides[axis] == stride;
  };
  Planes planes;
  int row_axis = rank - 2;
  int last_counted = rank - 2;  // the first axis that does not count images
  std::int64_t channels = 1;
  const bool has_pixels = [&] {
    for (int axis = 0; axis < rank; ++axis) {
      if (array.shape[axis] == 0) return false;
    }
    return true;
  }();
  if (layout == Layout::hwc && rank > 2) {
    row_axis = last_counted = rank - 3;
    channels = array.shape[rank - 1];
    if (has_pixels && !(together(rank - 1, item) && together(rank - 2, channels * item))) {
      refuse_strides(array, layout, which);
    }
  } else if (const bool row_together = together(rank - 1, item);
             has_pixels && (!row_together || interleaved)) {
    // PyTorch's channels_last: NCHW in name, NHWC in memory.
    planes.interleaved = layout == Layout::chw && rank > 2 && together(rank - 3, item) &&
                         together(rank - 1, array.shape[rank - 3] * item);
    if (!planes.interleaved && !row_together) refuse_strides(array, layout, which);
  }
  if (planes.interleaved) {
    channels = array.shape[rank - 3];
    last_counted = rank - 3;
  }
  planes.first = view_of(array, array.shape[row_axis], array.shape[row_axis + 1],
                         array.strides[row_axis], channels > 0 ? channels * item : item, which);
  for (int axis = 0; axis < last_counted; ++axis) {
    planes.counts.push(array.shape[axis]);
    planes.distances.push(array.strides[axis]);
  }
  if (channels == 0) planes.first.width = planes.first.height = 0;
  return planes;
}

Axes turned_shape(const Axes& shape, Layout layout, Orientation orientation) {
  Axes turned = shape;
  const int row_axis = layout == Layout::hwc && shape.rank > 2 ? shape.rank - 3 : shape.rank - 2;
  if (swaps_axes(orientation)) std::swap(turned[row_axis], turned[row_axis + 1]);
  return turned;
}

Axes channels_to_end(const Axes& axes) {
  Axes moved;
  for (int axis = 0; axis < axes.rank; ++axis) {
    if (axis != axes.rank - 3) moved.push(axes[axis]);
  }
  moved.push(axes[axes.rank - 3]);
  return moved;
}

Axes channels_from_end(int rank) {
  Axes order;
  for (int axis = 0; axis < rank - 3; ++axis) order.push(axis);
  for (const int axis : {rank - 1, rank - 3, rank - 2}) order.push(axis);
  return order;
}

std::vector<View> views_of(const Planes& planes) {
  std::vector<View> views;
  views.reserve(static_cast<std::size_t>(planes.count()));
  Axes at;
  at.rank = planes.counts.rank;
  for (std::int64_t left = planes.count(); left > 0; --left) {
    View view = planes.first;
    for (int axis = 0; axis < at.rank; ++axis) {
      view.data = static_cast<std::byte*>(view.data) + at[axis] * planes.distances[axis];
    }
    views.push_back(view);
    for (int axis = at.rank - 1; axis >= 0 && ++at[axis] == planes.counts[axis]; --axis)
      at[axis] = 0;
  }
  return views;
}

std::optional<std::int64_t> equal_distance(const Planes& planes) {
  std::int64_t distance = 0;
  std::int64_t images = 1;
  for (int axis = planes.counts.rank - 1; axis >= 0; --axis) {
    if (planes.counts[axis] == 1) continue;
    if (images == 1) {
      distance = planes.distances[axis];
    } else if (planes.distances[axis] != distance * images) {
      return std::nullopt;
    }
    images *= planes.counts[axis];
  }
  return distance;
}

}  // namespace qturn::python
