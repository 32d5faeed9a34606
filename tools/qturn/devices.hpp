// qturn devices: what a run would take place on, and why.
#pragma once

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Prints it, and returns the exit status.
int print_devices(const CommandLine& line);

}  // namespace qturn
