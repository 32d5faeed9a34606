// The library of an array is looked up once per type, by the name of the type or of one that it is
// derived from.
#include "plugins/python/arrays.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace nb = nanobind;

namespace qturn::python {
namespace {

struct Row {
  std::string_view module;  // up to the first dot
  std::string_view name;
  const Library* (*library)();
};
constexpr Row rows[] = {
    {"numpy", "ndarray", numpy_arrays},
    {"torch", "Tensor", torch_tensors},
    {"cupy", "ndarray", cupy_arrays},
};

const Library* find_library(nb::handle type) {
  for (nb::handle base : nb::borrow<nb::tuple>(type.attr("__mro__"))) {
    const auto module = text(nb::object(base.attr("__module__")));
    const auto name = text(nb::object(base.attr("__name__")));
    for (const Row& row : rows) {
      if (name == "MaskedArray" && module.starts_with("numpy.")) {
        throw nb::type_error(
            "a masked array of NumPy would lose its mask: turn its .data, and its .mask as well");
      }
      if (name == row.name && module.substr(0, module.find('.')) == row.module)
        return row.library();
    }
  }
  if (nb::hasattr(type, "cudaPtr") && nb::hasattr(type, "elemSize")) return gpu_mats();
  if (nb::hasattr(type, "__dlpack__")) return dlpack_arrays();
  return nullptr;
}

}  // namespace

const Library* find_library_of(nb::handle array) {
  // Never destroyed, and each type stays alive, so that its address is not another type's later.
  static auto& known = *new std::unordered_map<PyObject*, const Library*>;
  const nb::handle type = array.type();
  const auto found = known.find(type.ptr());
  if (found != known.end()) return found->second;
  const Library* library = find_library(type);
  type.inc_ref();
  known.emplace(type.ptr(), library);
  return library;
}

const Library& library_of(nb::handle array, const char* which) {
  if (const Library* library = find_library_of(array)) return *library;
  throw nb::type_error(
      (std::string(which) + " is of type " + text(array.type()) +
       ", expected an array: of NumPy, PyTorch, CuPy, JAX or another library with " +
       "DLPack, or a cv2.cuda.GpuMat")
          .c_str());
}

nb::object Library::finished(nb::handle, nb::object made) const { return made; }
nb::object Library::permuted(nb::handle, const Axes&) const {
  throw nb::type_error(
      "arrays of this library cannot be channels_last: pass a copy in C order, or one of H x W x C "
      "with layout=\"hwc\"");
}
std::optional<nb::object> Library::packed(nb::handle, std::optional<void*>) const {
  return std::nullopt;
}
void* Library::current_stream(int) const { return nullptr; }
void Library::keep_for(nb::handle, int, void*) const {}
void Library::written(nb::handle) const {}

std::optional<void*> stream_of(nb::handle stream) {
  if (stream.is_none()) return std::nullopt;
  std::uintptr_t number = 0;
  const auto as_pointer = [](std::uintptr_t address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  };
  if (nb::try_cast(stream, number)) return as_pointer(number);
  for (const char* name : {"cuda_stream", "ptr"}) {
    if (nb::hasattr(stream, name)) return as_pointer(nb::cast<std::uintptr_t>(stream.attr(name)));
  }
  if (nb::hasattr(stream, "cudaPtr")) {
    return as_pointer(nb::cast<std::uintptr_t>(stream.attr("cudaPtr")()));
  }
  if (nb::hasattr(stream, "__cuda_stream__")) {
    return as_pointer(nb::cast<std::uintptr_t>(stream.attr("__cuda_stream__")()[1]));
  }
  throw nb::type_error(("stream is of type " + text(stream.type()) +
                        ", expected a stream of PyTorch, CuPy or OpenCV, or its number")
                           .c_str());
}

std::string text(nb::handle object) {
  PyObject* words = PyObject_Str(object.ptr());
  if (words == nullptr) throw nb::python_error();
  return nb::cast<std::string>(nb::steal(words));
}

std::string text(const Axes& shape) { return text(nb::object(tuple_of(shape))); }

Name::Name(const char* name) : name_(PyUnicode_InternFromString(name)) {}

nb::object Name::of(nb::handle object) const {
  PyObject* found = PyObject_GetAttr(object.ptr(), name_);
  if (found == nullptr) throw nb::python_error();
  return nb::steal(found);
}

nb::object Name::call(nb::handle object) const {
  PyObject* arguments[] = {object.ptr()};
  PyObject* result = PyObject_VectorcallMethod(name_, arguments, 1, nullptr);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

std::int64_t Name::number(nb::handle object) const { return nb::cast<std::int64_t>(of(object)); }

std::int64_t Name::call_number(nb::handle object) const {
  return nb::cast<std::int64_t>(call(object));
}

Scope::Scope(nb::object manager) : manager_(std::move(manager)) { manager_.attr("__enter__")(); }

Scope::~Scope() {
  try {
    manager_.attr("__exit__")(nb::none(), nb::none(), nb::none());
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("leaving a context");
  }
}

Axes axes_of(nb::handle tuple, const char* which, std::int64_t times) {
  Axes axes;
  const auto rank = nb::len(tuple);
  if (rank > max_rank) {
    throw nb::value_error((std::string(which) + " has " + std::to_string(rank) +
                           " axes, expected at most " + std::to_string(max_rank))
                              .c_str());
  }
  for (nb::handle value : tuple) axes.push(nb::cast<std::int64_t>(value) * times);
  return axes;
}

nb::tuple tuple_of(const Axes& axes) {
  PyObject* tuple = PyTuple_New(axes.rank);
  for (int axis = 0; axis < axes.rank; ++axis) {
    PyTuple_SetItem(tuple, axis, PyLong_FromLongLong(axes[axis]));
  }
  return nb::steal<nb::tuple>(tuple);
}

}  // namespace qturn::python
