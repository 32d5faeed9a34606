// `qturn check --against`: turned pictures compared with their originals.
#ifndef QTURN_TOOLS_QTURN_CHECK_AGAINST_HPP
#define QTURN_TOOLS_QTURN_CHECK_AGAINST_HPP

#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Compares the pictures of `turned` with those of the same names in `line.against`. Returns the
/// exit status. Throws PlanError.
int check_against(const CommandLine& line, PlanOptions turned);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_CHECK_AGAINST_HPP
