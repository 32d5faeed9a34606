// How wide lines for a person may be.
#ifndef QTURN_TOOLS_QTURN_TERMINAL_HPP
#define QTURN_TOOLS_QTURN_TERMINAL_HPP

#include <cstddef>

namespace qturn {

/// The columns of the terminal that `descriptor` leads to. If it leads to none, those that the
/// environment's COLUMNS says, or 80.
std::size_t terminal_width(int descriptor);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_TERMINAL_HPP
