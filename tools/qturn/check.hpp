// qturn check: decodes pictures to find damage, and compares what their metadata and labels say.
// Findings go to standard output.
#ifndef QTURN_TOOLS_QTURN_CHECK_HPP
#define QTURN_TOOLS_QTURN_CHECK_HPP

#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// The program's exit status: 0 if nothing was found, 1 if some disagree or cannot be read. Throws
/// PlanError where there is nothing to check.
int check_pictures(const CommandLine& line, const PlanOptions& inputs);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_CHECK_HPP
