// The eight orientations as an IntEnum, and whatever a caller may write for one: a member, a name,
// a number of Exif.
#include "plugins/python/orientations.hpp"

#include <nanobind/operators.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <utility>

#include "plugins/python/bind.hpp"

namespace nb = nanobind;

namespace qturn::python {

Orientation orientation_of(nb::handle wanted) {
  Orientation orientation{};
  if (nb::isinstance<nb::str>(wanted)) {
    Py_ssize_t length = 0;
    const char* text = PyUnicode_AsUTF8AndSize(wanted.ptr(), &length);
    if (text == nullptr) PyErr_Clear();  // half of a surrogate pair
    const auto word = text == nullptr ? std::string_view()
                                      : std::string_view(text, static_cast<std::size_t>(length));
    const std::optional<Orientation> found = orientation_of_name(word);
    if (!found) {
      const auto quoted =
          text != nullptr ? '"' + std::string(word) + '"' : nb::cast<std::string>(nb::repr(wanted));
      throw nb::value_error(("orientation is " + quoted +
                             ", expected identity, flop, rotate180, flip, transpose, rotate90, " +
                             "transverse or rotate270")
                                .c_str());
    }
    return *found;
  }
  if (!wanted.is_none() && nb::try_cast(wanted, orientation)) return orientation;
  std::int64_t number = 0;
  const bool is_number = !wanted.is_none() && nb::try_cast(wanted, number);
  if (!is_number && !nb::isinstance<nb::int_>(wanted)) {
    throw nb::type_error(("orientation is of type " +
                          nb::cast<std::string>(nb::str(wanted.type())) +
                          ", expected a qturn.Orientation, its name or its number")
                             .c_str());
  }
  if (number < 1 || number > 8) {
    throw nb::value_error(
        ("orientation is " + nb::cast<std::string>(nb::str(wanted)) + ", expected 1 to 8").c_str());
  }
  return static_cast<Orientation>(number);
}

void bind_orientations(nb::module_& module) {
  auto members =
      nb::enum_<Orientation>(
          module, "Orientation", nb::is_arithmetic(),
          "The eight orientations, numbered as Exif's tag 274. Turns are clockwise.")
          .value("identity", Orientation::identity, "AB/CD stays as it is")
          .value("flop", Orientation::flop, "BA/DC: left and right exchanged")
          .value("rotate180", Orientation::rotate180, "DC/BA: half turn")
          .value("flip", Orientation::flip, "CD/AB: top and bottom exchanged")
          .value("transpose", Orientation::transpose, "AC/BD: mirrored across the main diagonal")
          .value("rotate90", Orientation::rotate90, "CA/DB: quarter turn clockwise")
          .value("transverse", Orientation::transverse, "DB/CA: mirrored across the other diagonal")
          .value("rotate270", Orientation::rotate270, "BD/AC: quarter turn counter-clockwise")
          .def_prop_ro(
              "swaps_axes", [](Orientation orientation) { return swaps_axes(orientation); },
              "Whether width becomes height: transpose, rotate90, transverse and rotate270.")
          .def_prop_ro(
              "from_right", [](Orientation orientation) { return reading(orientation).from_right; },
              "Whether the source is read from its right edge, before axes are swapped.")
          .def_prop_ro(
              "from_bottom",
              [](Orientation orientation) { return reading(orientation).from_bottom; },
              "Whether the source is read from its bottom edge, before axes are swapped.")
          .def_prop_ro(
              "inverse", [](Orientation orientation) { return inverse(orientation); },
              "The orientation that undoes this one.")
          .def(
              "compose",
              [](Orientation first, nb::handle then) {
                return compose(first, orientation_of(then));
              },
              nb::arg("then").none(),
              "The one orientation that does this one and, on its result, `then`.")
          .def(
              "turned_size",
              [](Orientation orientation, std::pair<std::int64_t, std::int64_t> size) {
                const Size turned = turned_size(orientation, {size.first, size.second});
                return std::pair(turned.width, turned.height);
              },
              nb::arg("size"), "(width, height) of a picture of that size once it is turned.");
  for (const char* other : {"hflip", "vflip", "cw", "ccw"})
    members.attr(other) = members.attr(std::string(name(*orientation_of_name(other))).c_str());
  module.def("orientation_of", &orientation_of, nb::arg("orientation").none(),
             "The orientation with that name or number; a member is returned as it is.");
}

}  // namespace qturn::python
