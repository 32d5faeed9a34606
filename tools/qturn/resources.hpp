// What a run may use of the machine.
#ifndef QTURN_TOOLS_QTURN_RESOURCES_HPP
#define QTURN_TOOLS_QTURN_RESOURCES_HPP

#include "src/run/pipeline.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Sets threads, memory, limits and seconds: as the user typed them, or by what is free.
void set_resources(const CommandLine& line, RunOptions& options);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_RESOURCES_HPP
