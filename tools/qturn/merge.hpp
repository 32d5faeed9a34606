// qturn merge: one output of the shards that wrote to it.
#pragma once

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Returns the exit status. Throws as merge_shards().
int merge(const CommandLine& line);

}  // namespace qturn
