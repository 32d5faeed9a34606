// Whether a person reads what is written, and how wide the lines may be.
#pragma once

#include <cstddef>

namespace qturn {

/// Whether it leads to a terminal that can draw a line again.
bool is_terminal(int descriptor);

/// The same, unless the environment's NO_COLOR asks for no colours.
bool shows_colours(int descriptor);

/// The columns of the terminal that `descriptor` leads to. If it leads to none, those that the
/// environment's COLUMNS says, or 80.
std::size_t terminal_width(int descriptor);

}  // namespace qturn
