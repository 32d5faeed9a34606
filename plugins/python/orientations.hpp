// What a caller may write for an orientation.
#pragma once

#include <nanobind/nanobind.h>

#include <qturn/orientation.hpp>

namespace qturn::python {

/// A member of qturn.Orientation, a name (also a synonym, as in orientation_of_name()) or a number.
///
/// Throws nb::value_error for a word or a number that is not an orientation, nb::type_error for
/// any other object.
Orientation orientation_of(nanobind::handle wanted);

}  // namespace qturn::python
