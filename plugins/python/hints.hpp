// What helps, in the words of Python: a hint of src/ names an argument.
#pragma once

#include <exception>
#include <string>

namespace qturn::python {

/// The error's sentence, with its hints.
std::string in_words(const std::exception& error);

}  // namespace qturn::python
