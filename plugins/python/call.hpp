// What every function on arrays does around its kernel: sources are read, destinations made or
// checked, all in one place.
#pragma once

#include <vector>

#include "plugins/python/arrays.hpp"
#include "plugins/python/planes.hpp"

namespace qturn::python {

/// An array of a call. `array` is what the caller gave or gets.
struct Operand {
  nanobind::object array;
  const Library* library = nullptr;
  Array memory;
  Planes planes;
};

class Call {
 public:
  Call(nanobind::handle layout, nanobind::handle stream);

  Layout layout() const { return layout_; }
  Place place() const { return place_; }

  /// An array to read. The first one decides where the call works; throws nanobind::value_error for
  /// one that is elsewhere.
  Operand source(nanobind::handle array);

  /// A new array beside `src` of this shape, with its type or with the type named `type`.
  Operand made(const Operand& src, const Axes& shape, const char* type = nullptr) const;

  /// `out`, to be filled. Throws nanobind::value_error where it does not have this shape, is
  /// elsewhere or read-only, or has images that overlap; nanobind::type_error where its type is
  /// another. Where `src` can be seen both as planes and as interleaved pixels, it becomes what
  /// `out` is.
  Operand given(nanobind::handle out, Operand& src, const Axes& shape, const char* type = nullptr);

  /// Keeps the memory of `operand` until the kernels are done. Is called after they were enqueued.
  void keep(const Operand& operand) const;
  /// What the caller gets for `dst`. Is called after keep().
  nanobind::object finished(const Operand& src, Operand dst, bool is_given) const;
  /// Waits if the library of an operand needs it. Is called once in each call, before finished().
  void settle() const;

 private:
  void choose_place(const Operand& first);
  /// A copy of `src` in C order; nothing where its library cannot make one.
  std::optional<nanobind::object> packed(const Operand& src) const;
  Array read(Operand& operand, const char* which);
  /// Nothing if the current work of `library` is in the order of this call.
  std::optional<void*> stream_for(const Library& library) const;
  Axes without_single_channel(Axes shape) const;

  Layout layout_;
  std::optional<void*> stream_;  ///< the caller's, if it is not the first library's current one
  const Library* first_ = nullptr;
  Axes first_shape_;
  bool waits_ = false;
  Place place_;
  bool is_placed_ = false;
};

/// One orientation for all of `count` images, or a sequence with one for each.
std::vector<Orientation> orientations_of(nanobind::handle wanted, std::size_t count);

}  // namespace qturn::python
