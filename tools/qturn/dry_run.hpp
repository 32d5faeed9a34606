// --dry-run: what a run would do, as far as the headers of the files tell.
#ifndef QTURN_TOOLS_QTURN_DRY_RUN_HPP
#define QTURN_TOOLS_QTURN_DRY_RUN_HPP

#include "src/files/source.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Prints the plan, and returns the exit status. One file at a time, so that they are in order.
int print_plan(const CommandLine& line, const Plan& plan, const Source& source, RunOptions options);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_DRY_RUN_HPP
