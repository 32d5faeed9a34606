// `-`: a picture or a tar from standard input, or to standard output.
#pragma once

#include <algorithm>

#include "tools/qturn/command_line.hpp"

namespace qturn {

inline bool is_from_standard_input(const CommandLine& line) {
  return std::ranges::find(line.inputs, "-") != line.inputs.end();
}

inline bool is_to_standard_output(const CommandLine& line) { return line.output == "-"; }

/// Opens each standard stream that is closed so that reading or writing fails. Otherwise the first
/// file that is opened would become that stream, and take its data.
void take_closed_streams();

/// Throws PlanError for options that mean nothing unless the inputs are tars.
void refuse_what_is_for_tars(const CommandLine& line);

/// A picture on a standard stream has no files beside it. Throws PlanError if they are asked for.
void leave_labels(const CommandLine& line, PlanOptions& options);

/// Throws PlanError for options that mean nothing with standard streams.
void refuse_unfit_for_streams(const CommandLine& line);

}  // namespace qturn
