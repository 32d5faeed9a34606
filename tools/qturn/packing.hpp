// Pictures of folders, with all that belongs to them, as the samples of tars: docs/tar.md.
#pragma once

#include "src/run/pipeline.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Whether the output is a tar: its name ends in .tar, or several files go to standard output.
/// Throws PlanError for names such as out.tgz.
bool is_packed(const CommandLine& line);

/// Turns the pictures. Returns the exit status. Throws PlanError if nothing was started.
int turn_and_pack(const CommandLine& line, PlanOptions plan, RunOptions options);

}  // namespace qturn
