// qturn devices: what a run would take place on, and why.
#ifndef QTURN_TOOLS_QTURN_DEVICES_HPP
#define QTURN_TOOLS_QTURN_DEVICES_HPP

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Prints it, and returns the exit status.
int print_devices(const CommandLine& line);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_DEVICES_HPP
