// What the user asks of a plan, as it was typed.
#pragma once

#include <string>
#include <vector>

#include "src/plan/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Which files are inputs. Reads the list of --files-from. Throws PlanError.
PlanOptions input_options(const CommandLine& line);

/// All of it, for an operation that turns. Throws PlanError for options that contradict each other.
PlanOptions plan_options(const CommandLine& line);

// The options that decide which results a run has, as they would be typed: what a run that resumes
// or repeats another one must have, too.

/// All but those that choose variants.
std::vector<TypedOption> result_options(const CommandLine& line, JpegEdges edges);

/// The same as a manifest lists them.
std::vector<std::string> words_of_results(const CommandLine& line, JpegEdges edges);

/// The operation, and the options on which results and the choice of pictures depend.
std::string operation_of(const CommandLine& line, JpegEdges edges);

}  // namespace qturn
