// What the user can type when a run is refused. src/ says what is wrong and knows no options.
#ifndef QTURN_TOOLS_QTURN_WAYS_OUT_HPP
#define QTURN_TOOLS_QTURN_WAYS_OUT_HPP

#include "src/dataset/output_error.hpp"
#include "src/plan/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// The same error, with what to do about it. A run that resumes another one is not advised to turn
/// pictures alone: the one that was interrupted has turned some with their labels.
PlanError with_ways_out(const CommandLine& line, const PlanError& error);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_WAYS_OUT_HPP
