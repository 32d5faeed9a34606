// Makes the options of a plan from the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/inputs/options.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Which files are inputs. Reads the list of --files-from. Throws PlanError.
PlanOptions input_options(const CommandLine& line);

/// All options, for an operation that turns. Throws PlanError if options contradict each other.
PlanOptions plan_options(const CommandLine& line);

/// The options that decide which results a run has, except for the choice of variants. They are as
/// typed, with `between` between a name and its value: "--jpeg=lossless". A run that resumes or
/// repeats another one must have the same.
std::vector<std::string> result_options(CommandLine line, JpegEdges edges,
                                        std::string_view between);

/// The operation, and the options on which results and the choice of pictures depend.
std::string operation_of(const CommandLine& line, JpegEdges edges);

}  // namespace qturn
