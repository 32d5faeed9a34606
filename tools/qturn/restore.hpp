// qturn restore: what a run in place replaced is put back.
#pragma once

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Takes back the run of a folder, or lists the runs in a folder of backups. Returns the exit
/// status. Throws PlanError, or as Journals.
int restore(const CommandLine& line);

}  // namespace qturn
