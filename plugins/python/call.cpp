#include "plugins/python/call.hpp"

#include <utility>

#include "plugins/python/orientations.hpp"
#include "plugins/python/overlaps.hpp"
#include "plugins/python/turn.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

std::string name_of(int device) {
  return device == host ? "on the CPU" : "on CUDA device " + std::to_string(device);
}

/// Whether one object is the type of both, so that no names need to be compared.
bool have_one_type_object(const Operand& a, const Operand& b) {
  if (a.library != b.library) return false;
  const nb::object dtype = nb::getattr(a.array, "dtype", nb::none());
  return !dtype.is_none() && dtype.is(nb::getattr(b.array, "dtype", nb::none()));
}

/// Each row of pixels as an image whose columns are the channels of a pixel.
std::optional<Planes> pixels_of(Array array) {
  if (array.shape.rank == max_rank) return std::nullopt;
  array.shape.push(1);
  array.strides.push(array.item_bytes);
  return find_planes(array, Layout::hwc, "x");
}

}  // namespace

Call::Call(nb::handle layout, nb::handle stream)
    : layout_(layout_of(layout)), stream_(stream_of(stream)) {}

void Call::choose_place(const Operand& first) {
  is_placed_ = true;
  first_ = first.library;
  first_shape_ = first.memory.shape;
  place_.device = first.memory.device;
  if (place_.device == host) {
    stream_.reset();
    return;
  }
  void* const current = first.library->current_stream(place_.device);
  if (stream_ == current) stream_.reset();
  place_.stream = stream_.value_or(current);
}

Array Call::read(Operand& operand, const char* which) {
  operand.library = &library_of(operand.array, which);
  waits_ = waits_ || operand.library->waits();
  return operand.library->read(operand.array, is_placed_ ? place_.stream : stream_, which);
}

std::optional<void*> Call::stream_for(const Library& library) const {
  if (place_.device == host) return std::nullopt;
  if (&library == first_) return stream_;
  if (library.current_stream(place_.device) == place_.stream) return std::nullopt;
  return place_.stream;
}

// Where there is one channel, H x W and H x W x 1 are the same images.
Axes Call::without_single_channel(Axes shape) const {
  if (layout_ == Layout::hwc && shape.rank == 3 && shape[2] == 1) {
    shape.rank = 2;
    shape[2] = 0;
  }
  return shape;
}

Operand Call::source(nb::handle array) {
  Operand operand;
  operand.array = nb::borrow(array);
  operand.memory = read(operand, "x");
  if (!is_placed_) choose_place(operand);
  if (operand.memory.device != place_.device) {
    throw nb::value_error(("x of shape " + text(operand.memory.shape) + " is " +
                           name_of(operand.memory.device) + ", the first one, of shape " +
                           text(first_shape_) + ", " + name_of(place_.device))
                              .c_str());
  }
  if (const auto planes = find_planes(operand.memory, layout_, "x")) {
    operand.planes = *planes;
    return operand;
  }
  if (auto copy = packed(operand)) {
    operand.array = std::move(*copy);
    operand.memory = read(operand, "x");
  }
  operand.planes = planes_of(operand.memory, layout_, "x");
  return operand;
}

std::optional<nb::object> Call::packed(const Operand& src) const {
  const Library& library = *src.library;
  const std::optional<void*> stream = stream_for(library);
  const auto pixels = pixels_of(src.memory);
  // For reversed channels (BGR seen as RGB) and planes the kernels are faster.
  const bool is_orientation = pixels && pixels->seen != Orientation::identity;
  if (!is_orientation || &library == dlpack_arrays()) return library.packed(src.array, stream);
  nb::object copy = library.empty(src.array, src.memory.shape, nullptr, stream);
  const auto made = pixels_of(library.read(copy, stream, "the copy of x"));
  {
    const nb::gil_scoped_release others_run;
    turn(*pixels, made.value(), Orientation::identity, place_);
  }
  keep(src);
  return copy;
}

Operand Call::made(const Operand& src, const Axes& shape, const char* type) const {
  const Library& library = *src.library;
  const std::optional<void*> stream = stream_for(library);
  Operand operand;
  if (src.planes.interleaved && type == nullptr) {
    const nb::object packed = library.empty(src.array, channels_to_end(shape), type, stream);
    operand.array = library.permuted(packed, channels_from_end(shape.rank));
  } else {
    operand.array = library.empty(src.array, shape, type, stream);
  }
  operand.library = &library_of(operand.array, "the result");
  operand.memory = operand.library->read(operand.array, stream, "the result");
  operand.planes = planes_of(operand.memory, type == nullptr ? layout_ : Layout::chw, "the result",
                             src.planes.interleaved);
  return operand;
}

Operand Call::given(nb::handle out, Operand& src, const Axes& shape, const char* type) {
  Operand operand;
  operand.array = nb::borrow(out);
  operand.memory = read(operand, "out");
  const Array& memory = operand.memory;
  const auto given = [&] { return "out of shape " + text(memory.shape); };
  if (without_single_channel(memory.shape) != without_single_channel(shape)) {
    throw nb::value_error((given() + " does not fit x of shape " + text(src.memory.shape) +
                           ", expected " + text(shape))
                              .c_str());
  }
  if (type != nullptr || !have_one_type_object(src, operand)) {
    const std::string expected_type = type != nullptr ? type : src.library->type_name(src.array);
    const std::string given_type = operand.library->type_name(out);
    if (given_type != expected_type) {
      throw nb::type_error((given() + " is " + given_type + ", expected " + expected_type +
                            " for x of shape " + text(src.memory.shape))
                               .c_str());
    }
  }
  if (memory.device != place_.device) {
    throw nb::value_error((given() + " is " + name_of(memory.device) + ", x of shape " +
                           text(src.memory.shape) + " " + name_of(place_.device))
                              .c_str());
  }
  if (memory.read_only) throw nb::value_error((given() + " is read-only").c_str());
  operand.planes =
      planes_of(memory, type == nullptr ? layout_ : Layout::chw, "out", src.planes.interleaved);
  if (type == nullptr && operand.planes.interleaved && !src.planes.interleaved) {
    src.planes = planes_of(src.memory, layout_, "x", true);
  }
  if (type == nullptr && operand.planes.interleaved != src.planes.interleaved &&
      !src.planes.first.empty()) {
    throw nb::value_error((given() + " and x of shape " + text(src.memory.shape) +
                           ": channels_last must be both or neither; pass .contiguous() for one")
                              .c_str());
  }
  check_apart(memory, operand.planes);
  return operand;
}

void Call::settle() const {
  if (waits_) wait(place_);
}

void Call::keep(const Operand& operand) const {
  const std::optional<void*> stream = stream_for(*operand.library);
  if (stream) operand.library->keep_for(operand.array, place_.device, *stream);
}

nb::object Call::finished(const Operand& src, Operand dst, bool is_given) const {
  keep(src);
  if (is_given) {
    keep(dst);
    dst.library->written(dst.array);
    return std::move(dst.array);
  }
  return src.library->finished(src.array, std::move(dst.array));
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
