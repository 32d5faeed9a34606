// Images that share memory: which may be read, and which may not be written.
#pragma once

#include <vector>

#include "plugins/python/call.hpp"

namespace qturn::python {

/// Throws nanobind::value_error where two images of `out` share memory.
void check_apart(const Array& out, const Planes& planes);

/// The same for all images of `out`, and where one of them shares memory with one of `xs`.
void check_apart(const std::vector<View>& xs, const std::vector<View>& out);

/// Whether `dst` is `src`, which then is to be turned in place. Throws nanobind::value_error where
/// several images overlap in part; of single ones the kernels know.
bool is_in_place(const Operand& src, const Operand& dst);

}  // namespace qturn::python
