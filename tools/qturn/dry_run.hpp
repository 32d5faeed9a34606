// --dry-run: what a run would do, as far as the headers of the files tell.
#pragma once

#include "src/files/source.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Prints the plan, and returns the exit status. One file at a time, so that they are in order.
int print_plan(const CommandLine& line, const Plan& plan, const Source& source, RunOptions options);

}  // namespace qturn
