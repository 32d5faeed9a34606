// What the user asks of a plan, as it was typed.
#pragma once

#include "src/plan/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Which files are inputs. Reads the list of --files-from. Throws PlanError.
PlanOptions input_options(const CommandLine& line);

/// All of it, for an operation that turns. Throws PlanError for options that contradict each other.
PlanOptions plan_options(const CommandLine& line);

}  // namespace qturn
