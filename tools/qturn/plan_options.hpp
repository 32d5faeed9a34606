// What the user asks of a plan, as it was typed.
#ifndef QTURN_TOOLS_QTURN_PLAN_OPTIONS_HPP
#define QTURN_TOOLS_QTURN_PLAN_OPTIONS_HPP

#include "src/plan/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Which files are inputs. Reads the list of --files-from. Throws PlanError.
PlanOptions input_options(const CommandLine& line);

/// All of it, for an operation that turns. Throws PlanError for options that contradict each other.
PlanOptions plan_options(const CommandLine& line);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_PLAN_OPTIONS_HPP
