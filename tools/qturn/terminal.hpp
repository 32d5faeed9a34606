// Whether a person reads the output, and how wide the lines may be.
#pragma once

#include <cstddef>

namespace qturn {

/// Whether `descriptor` leads to a terminal that can draw a line again.
bool is_terminal(int descriptor);

/// The same, unless the environment's NO_COLOR asks for no colours.
bool shows_colours(int descriptor);

/// The columns of the terminal that `descriptor` leads to. If it does not lead to a terminal, the
/// environment's COLUMNS, or 80.
std::size_t terminal_width(int descriptor);

}  // namespace qturn
