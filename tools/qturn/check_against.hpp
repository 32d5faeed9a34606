// `qturn check --against`: turned pictures compared with their originals.
#pragma once

#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Compares the pictures of `turned` with those of the same names in `line.against`. Returns the
/// exit status. Throws PlanError.
int check_against(const CommandLine& line, PlanOptions turned);

}  // namespace qturn
