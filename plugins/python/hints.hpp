// What helps, in the words of Python: a hint of src/ names an argument.
#ifndef QTURN_PYTHON_HINTS_HPP
#define QTURN_PYTHON_HINTS_HPP

#include <exception>
#include <string>

namespace qturn::python {

/// The error's sentence, with its hints.
std::string in_words(const std::exception& error);

}  // namespace qturn::python

#endif  // QTURN_PYTHON_HINTS_HPP
