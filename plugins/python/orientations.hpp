// What a caller may write for an orientation.
#ifndef QTURN_PYTHON_ORIENTATIONS_HPP
#define QTURN_PYTHON_ORIENTATIONS_HPP

#include <nanobind/nanobind.h>

#include <qturn/orientation.hpp>

namespace qturn::python {

/// A member of qturn.Orientation, one of its names (those of orientation_of_name(), too) or a
/// number.
///
/// Throws nb::value_error for a word or a number that is not an orientation, nb::type_error for
/// any other object.
Orientation orientation_of(nanobind::handle wanted);

}  // namespace qturn::python

#endif  // QTURN_PYTHON_ORIENTATIONS_HPP
