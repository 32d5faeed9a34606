#include "plugins/python/call.hpp"

#include <utility>

#include "plugins/python/orientations.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

std::string name_of(int device) {
  return device == host ? "on the CPU" : "on CUDA device " + std::to_string(device);
}

Axes without_single_channel(Axes shape) {
  if (shape.rank == 3 && shape[2] == 1) shape.rank = 2;
  return shape;
}

// The first byte and the one after the last.
std::pair<std::intptr_t, std::intptr_t> extent(const Planes& planes) {
  const View& view = planes.first;
  auto begin = reinterpret_cast<std::intptr_t>(view.data);
  auto end = begin + view.row_bytes();
  const auto widen = [&](std::int64_t count, std::int64_t distance) {
    (distance < 0 ? begin : end) += (count - 1) * distance;
  };
  widen(view.height, view.pitch);
  for (int axis = 0; axis < planes.counts.rank; ++axis) {
    widen(planes.counts[axis], planes.distances[axis]);
  }
  return {begin, end};
}

}  // namespace

Call::Call(nb::handle layout, nb::handle stream)
    : layout_(layout_of(layout)), stream_(stream_of(stream)) {}

void Call::choose_place(const Operand& first) {
  is_placed_ = true;
  place_.device = first.memory.device;
  if (place_.device == host) {
    stream_.reset();
    return;
  }
  void* const current = first.library->current_stream(place_.device);
  if (stream_ == current) stream_.reset();
  place_.stream = stream_.value_or(current);
}

Operand Call::source(nb::handle array) {
  Operand operand;
  operand.array = nb::borrow(array);
  operand.library = &library_of(array);
  operand.memory = operand.library->read(array, stream_);
  if (!is_placed_) choose_place(operand);
  if (operand.memory.device != place_.device) {
    throw nb::value_error(("x of shape " + text(operand.memory.shape) + " is " +
                           name_of(operand.memory.device) + ", the first one " +
                           name_of(place_.device))
                              .c_str());
  }
  operand.planes = planes_of(operand.memory, layout_, "x");
  return operand;
}

Operand Call::made(const Operand& src, const Axes& shape, const char* type) const {
  const Library& library = *src.library;
  Operand operand;
  if (src.planes.interleaved && type == nullptr) {
    const nb::object packed = library.empty(src.array, channels_to_end(shape), type, stream_);
    operand.array = library.permuted(packed, channels_from_end(shape.rank));
  } else {
    operand.array = library.empty(src.array, shape, type, stream_);
  }
  operand.library = &library_of(operand.array);
  operand.memory = operand.library->read(operand.array, stream_);
  operand.planes = planes_of(operand.memory, type == nullptr ? layout_ : Layout::chw, "the result");
  return operand;
}

Operand Call::given(nb::handle out, const Operand& src, const Axes& shape, const char* type) const {
  Operand operand;
  operand.array = nb::borrow(out);
  operand.library = &library_of(out);
  operand.memory = operand.library->read(out, stream_);
  const Array& memory = operand.memory;
  const std::string given = "out of shape " + text(memory.shape);
  if (without_single_channel(memory.shape) != without_single_channel(shape)) {
    throw nb::value_error(
        (given + " does not fit x of shape " + text(src.memory.shape) + ", expected " + text(shape))
            .c_str());
  }
  const std::string expected_type = type != nullptr ? type : src.library->type_name(src.array);
  const std::string given_type = operand.library->type_name(out);
  if (given_type != expected_type) {
    throw nb::type_error((given + " is " + given_type + ", expected " + expected_type +
                          " for x of shape " + text(src.memory.shape))
                             .c_str());
  }
  if (memory.device != place_.device) {
    throw nb::value_error((given + " is " + name_of(memory.device) + ", x of shape " +
                           text(src.memory.shape) + " " + name_of(place_.device))
                              .c_str());
  }
  if (memory.read_only) throw nb::value_error((given + " is read-only").c_str());
  operand.planes = planes_of(memory, type == nullptr ? layout_ : Layout::chw, "out");
  if (type == nullptr && operand.planes.interleaved != src.planes.interleaved &&
      !src.planes.first.empty()) {
    throw nb::value_error((given + " and x of shape " + text(src.memory.shape) +
                           ": channels_last must be both or neither; pass .contiguous() for one")
                              .c_str());
  }
  return operand;
}

void Call::settle(const Operand& src) const {
  if (src.library->waits()) wait(place_);
}

nb::object Call::finished(const Operand& src, Operand dst, bool is_given) const {
  if (stream_) {
    src.library->keep_for(src.array, place_.device, *stream_);
    if (is_given) dst.library->keep_for(dst.array, place_.device, *stream_);
  }
  if (is_given) return std::move(dst.array);
  return src.library->finished(src.array, std::move(dst.array));
}

bool is_in_place(const Operand& src, const Operand& dst) {
  const View& from = src.planes.first;
  const View& to = dst.planes.first;
  if (from.empty() || to.empty() || src.planes.count() == 0) return false;
  if (from.data == to.data && from.width == to.width && from.height == to.height &&
      from.pitch == to.pitch && src.planes.counts == dst.planes.counts &&
      src.planes.distances == dst.planes.distances) {
    return true;
  }
  if (src.planes.count() > 1) {
    const auto [begin, end] = extent(src.planes);
    const auto [other_begin, other_end] = extent(dst.planes);
    if (begin < other_end && other_begin < end) {
      throw nb::value_error(("x of shape " + text(src.memory.shape) + " and out of shape " +
                             text(dst.memory.shape) + " overlap in memory")
                                .c_str());
    }
  }
  return false;
}

std::vector<Orientation> orientations_of(nb::handle wanted, std::size_t count) {
  const bool is_one = nb::isinstance<nb::str>(wanted) || !nb::hasattr(wanted, "__len__");
  if (is_one) return std::vector<Orientation>(count, orientation_of(wanted));
  std::vector<Orientation> orientations;
  for (nb::handle one : wanted) orientations.push_back(orientation_of(one));
  if (orientations.size() != count) {
    throw nb::value_error((std::to_string(orientations.size()) + " orientations for " +
                           std::to_string(count) + " images")
                              .c_str());
  }
  return orientations;
}

}  // namespace qturn::python
