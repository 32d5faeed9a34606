// NumPy's arrays, by the buffer protocol: of every type, writable or not. Types that it cannot name
// (datetime64, bfloat16) are read as bytes.
#include "plugins/python/arrays.hpp"

namespace nb = nanobind;

namespace qturn::python {
namespace {

class Buffer {
 public:
  explicit Buffer(nb::handle array) {
    if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_STRIDES) == 0) return;
    PyErr_Clear();
    const nb::object bytes = array.attr("view")("V" + text(nb::object(array.attr("itemsize"))));
    if (PyObject_GetBuffer(bytes.ptr(), &buffer_, PyBUF_STRIDES) != 0) throw nb::python_error();
  }
  ~Buffer() { PyBuffer_Release(&buffer_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  const Py_buffer* operator->() const { return &buffer_; }
  bool may_hold_objects() const {
    return buffer_.itemsize >= static_cast<Py_ssize_t>(sizeof(PyObject*));
  }

 private:
  Py_buffer buffer_{};
};

class NumpyArrays : public Library {
 public:
  Array read(nb::handle array, std::optional<void*>, const char* which) const override {
    static const Name dtype("dtype");
    static const Name hasobject("hasobject");
    const Buffer buffer(array);
    if (buffer.may_hold_objects() && nb::cast<bool>(hasobject.of(dtype.of(array)))) {
      throw nb::type_error(
          (std::string(which) + " holds Python objects, expected numbers or other plain data")
              .c_str());
    }
    if (buffer->ndim > max_rank) {
      throw nb::value_error((std::string(which) + " has more than 8 axes").c_str());
    }
    Array result;
    result.data = buffer->buf;
    result.item_bytes = buffer->itemsize;
    result.read_only = buffer->readonly != 0;
    for (int axis = 0; axis < buffer->ndim; ++axis) {
      result.shape.push(buffer->shape[axis]);
      result.strides.push(buffer->strides[axis]);
    }
    result.owner = nb::borrow(array);
    return result;
  }

  std::string type_name(nb::handle array) const override {
    const nb::object dtype = array.attr("dtype");
    if (!dtype.attr("names").is_none()) return text(dtype);  // its fields
    if (!nb::cast<bool>(dtype.attr("isnative"))) return text(nb::object(dtype.attr("str")));
    return nb::cast<std::string>(dtype.attr("name"));
  }

  nb::object empty(nb::handle model, const Axes& shape, const char* type,
                   std::optional<void*>) const override {
    static const Name dtype("dtype");
    static const nb::handle numpy_empty = kept(nb::module_::import_("numpy").attr("empty"));
    if (type != nullptr) return numpy_empty(tuple_of(shape), type);
    return numpy_empty(tuple_of(shape), dtype.of(model));
  }

  nb::object permuted(nb::handle array, const Axes& order) const override {
    return array.attr("transpose")(tuple_of(order));
  }

  std::optional<nb::object> packed(nb::handle array, std::optional<void*>) const override {
    return array.attr("copy")("C");
  }
};

}  // namespace

const Library* numpy_arrays() {
  static const auto* library = new NumpyArrays;
  return library;
}

}  // namespace qturn::python
