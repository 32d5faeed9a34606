#include "plugins/python/planes.hpp"

#include <cstdlib>

namespace nb = nanobind;

namespace qturn::python {
namespace {

[[noreturn]] void refuse_strides(const Array& array, Layout layout, const char* which) {
  throw nb::value_error(
      (std::string(which) + " of shape " + text(array.shape) + " has strides of " +
       text(array.strides) + " bytes: the pixels of a row or of a column must be side by side" +
       (layout == Layout::hwc ? ", and the channels of a pixel" : "") + "; pass a copy in C order")
          .c_str());
}

/// The image whose rows are this axis and whose columns are the next one.
bool set_image(Planes& planes, const Array& array, int row_axis, std::int64_t pixel_bytes) {
  struct Axis {
    std::int64_t length, stride;
    bool is_reversed() const { return length > 1 && stride < 0; }
    bool is_side_by_side(std::int64_t bytes) const {
      return length <= 1 || std::abs(stride) == bytes;
    }
  };
  const Axis rows{array.shape[row_axis], array.strides[row_axis]};
  const Axis columns{array.shape[row_axis + 1], array.strides[row_axis + 1]};
  const bool is_swapped = !columns.is_side_by_side(pixel_bytes);
  if (is_swapped && !rows.is_side_by_side(pixel_bytes)) return false;
  const Axis& along = is_swapped ? rows : columns;
  const Axis& across = is_swapped ? columns : rows;
  const std::int64_t row_bytes = along.length * pixel_bytes;
  if (across.length > 1 && std::abs(across.stride) < row_bytes) return false;
  View& view = planes.first;
  view.data = array.data;
  if (along.is_reversed())
    view.data = static_cast<std::byte*>(view.data) + (along.length - 1) * along.stride;
  view.width = along.length;
  view.height = across.length;
  view.pitch = across.length > 1 ? across.stride : row_bytes;
  view.pixel_bytes = static_cast<int>(pixel_bytes);
  planes.seen = orientation_of(Reading{is_swapped, along.is_reversed(), false});
  return true;
}

}  // namespace

Layout layout_of(nb::handle word) {
  const auto is = [&](const char* name) {
    return nb::isinstance<nb::str>(word) && PyUnicode_CompareWithASCIIString(word.ptr(), name) == 0;
  };
  if (is("hwc")) return Layout::hwc;
  if (is("chw")) return Layout::chw;
  throw nb::value_error(("layout is \"" + text(word) + "\", expected hwc or chw").c_str());
}

std::int64_t Planes::count() const {
  std::int64_t count = 1;
  for (int axis = 0; axis < counts.rank; ++axis) count *= counts[axis];
  return count;
}

std::optional<Planes> find_planes(const Array& array, Layout layout, const char* which,
                                  bool interleaved) {
  const int rank = array.shape.rank;
  const auto name = [&] { return std::string(which) + " of shape " + text(array.shape); };
  if (rank < 2) {
    throw nb::value_error(
        (name() + " has no rows and columns, expected at least two axes").c_str());
  }
  const std::int64_t item = array.item_bytes;
  const auto side_by_side = [&](int axis, std::int64_t stride) {
    return array.shape[axis] <= 1 || std::abs(array.strides[axis]) == stride;
  };
  const auto channels_are = [&](int axis) {
    return array.shape[axis] <= 1 || array.strides[axis] == item;
  };
  bool has_pixels = true;
  for (int axis = 0; axis < rank; ++axis) has_pixels = has_pixels && array.shape[axis] > 0;
  Planes planes;
  int row_axis = rank - 2;
  int channel_axis = -1;
  if (layout == Layout::hwc && rank > 2) {
    row_axis = rank - 3;
    channel_axis = rank - 1;
    if (has_pixels && !channels_are(channel_axis)) return std::nullopt;
  } else if (layout == Layout::chw && rank > 2 && has_pixels && channels_are(rank - 3)) {
    // PyTorch's channels_last: NCHW in name, NHWC in memory.
    const std::int64_t pixel = array.shape[rank - 3] * item;
    const auto are_of = [&](std::int64_t bytes) {
      return side_by_side(rank - 1, bytes) ||
             (array.shape[rank - 2] > 1 && side_by_side(rank - 2, bytes));
    };
    planes.interleaved = are_of(pixel) && (interleaved || !are_of(item));
    if (planes.interleaved) channel_axis = rank - 3;
  }
  const std::int64_t channels = channel_axis < 0 ? 1 : array.shape[channel_axis];
  const std::int64_t pixel_bytes = channels > 0 ? channels * item : item;
  if (pixel_bytes < 1 || pixel_bytes > 256) {
    throw nb::value_error((name() + " has pixels of " + std::to_string(pixel_bytes) +
                           " bytes, expected 1 to 256; channels before the rows are layout=\"chw\"")
                              .c_str());
  }
  if (has_pixels) {
    if (!set_image(planes, array, row_axis, pixel_bytes)) return std::nullopt;
  } else {
    const bool has_channels = channels > 0;
    planes.first.data = array.data;
    planes.first.width = has_channels ? array.shape[row_axis + 1] : 0;
    planes.first.height = has_channels ? array.shape[row_axis] : 0;
    planes.first.pixel_bytes = static_cast<int>(pixel_bytes);
    planes.first.pitch = planes.first.row_bytes();
  }
  const int counted = planes.interleaved ? channel_axis : row_axis;
  for (int axis = 0; axis < counted; ++axis) {
    planes.counts.push(array.shape[axis]);
    planes.distances.push(array.strides[axis]);
  }
  return planes;
}

Planes planes_of(const Array& array, Layout layout, const char* which, bool interleaved) {
  if (const auto planes = find_planes(array, layout, which, interleaved)) return *planes;
  refuse_strides(array, layout, which);
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
