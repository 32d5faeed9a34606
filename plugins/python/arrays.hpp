// Arrays of other Python libraries: which memory they have, how to make a new one, on which stream
// they are used.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "plugins/python/place.hpp"

namespace qturn::python {

inline constexpr int max_rank = 8;

/// Sizes, or distances, of the axes of an array.
struct Axes {
  std::array<std::int64_t, max_rank> at{};
  int rank = 0;

  std::int64_t& operator[](int axis) { return at[static_cast<std::size_t>(axis)]; }
  std::int64_t operator[](int axis) const { return at[static_cast<std::size_t>(axis)]; }
  void push(std::int64_t value) { at[static_cast<std::size_t>(rank++)] = value; }
  friend bool operator==(const Axes&, const Axes&) = default;
};

/// A shape as Python writes it: "(480, 640, 3)".
std::string text(const Axes& shape);

/// str(object).
std::string text(nanobind::handle object);

/// What an array is in memory.
struct Array {
  void* data = nullptr;
  Axes shape;
  Axes strides;  ///< in bytes
  std::int64_t item_bytes = 1;
  int device = host;
  bool read_only = false;
  nanobind::object owner;  ///< keeps `data` valid
};

/// A library whose arrays are taken. One row of the table in arrays.cpp each.
class Library {
 public:
  virtual ~Library() = default;
  /// The memory of `array`, which errors call `which`, for use on `stream`, if the library asks for
  /// a stream.
  virtual Array read(nanobind::handle array, std::optional<void*> stream,
                     const char* which) const = 0;
  /// The name of the type of its items, as NumPy calls it: "uint8", "float16"; ">u2" in another
  /// byte order. Types with one name have the same bytes.
  virtual std::string type_name(nanobind::handle array) const = 0;
  /// A new array with contiguous items on the device of `model`, with its type or with the type
  /// named `type`. To be used on `stream`, or on the library's current one.
  virtual nanobind::object empty(nanobind::handle model, const Axes& shape, const char* type,
                                 std::optional<void*> stream) const = 0;
  /// What the caller gets for an array that empty() made, once it is filled.
  virtual nanobind::object finished(nanobind::handle model, nanobind::object made) const;
  /// `array` with its axes in another order; throws nanobind::type_error where no view can be made.
  virtual nanobind::object permuted(nanobind::handle array, const Axes& order) const;
  /// A copy of `array` in C order, made on `stream` or on the library's current one; nothing where
  /// the library cannot make one.
  virtual std::optional<nanobind::object> packed(nanobind::handle array,
                                                 std::optional<void*> stream) const;
  /// The library's current stream.
  virtual void* current_stream(int device) const;
  /// Says that `array` is used on `stream`, which is not the library's current one.
  virtual void keep_for(nanobind::handle array, int device, void* stream) const;
  /// Says that what is in `array` was changed.
  virtual void written(nanobind::handle array) const;
  /// Whether the library cannot be told about streams, so that a call has to wait for its work.
  virtual bool waits() const { return false; }
};

/// The library that `object` is of; null if it is not an array.
const Library* find_library_of(nanobind::handle object);

/// The library that `array` is of; throws nanobind::type_error, which calls it `which`, if it is
/// not an array.
const Library& library_of(nanobind::handle array, const char* which);

/// Its rows of the table: the libraries, each in the file that is named after its arrays.
const Library* numpy_arrays();
const Library* torch_tensors();
const Library* cupy_arrays();
const Library* gpu_mats();
const Library* dlpack_arrays();

/// The stream that a caller means by `stream=`: a number, or an object of PyTorch, CuPy, OpenCV or
/// whatever has __cuda_stream__; nothing for None.
std::optional<void*> stream_of(nanobind::handle stream);

/// An object that is never released. When C++ destroys its statics, Python is already gone.
inline nanobind::handle kept(nanobind::object object) { return object.release(); }

/// An attribute that is looked up at every call: its name is made once.
class Name {
 public:
  explicit Name(const char* name);
  nanobind::object of(nanobind::handle object) const;
  nanobind::object call(nanobind::handle object) const;
  std::int64_t number(nanobind::handle object) const;
  std::int64_t call_number(nanobind::handle object) const;

 private:
  PyObject* name_;
};

/// A context manager of Python's, entered and left.
class Scope {
 public:
  explicit Scope(nanobind::object manager);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  nanobind::object manager_;
};

/// A tuple of numbers as sizes of the array `which`, each `times` as large.
Axes axes_of(nanobind::handle tuple, const char* which, std::int64_t times = 1);
nanobind::tuple tuple_of(const Axes& axes);

}  // namespace qturn::python
