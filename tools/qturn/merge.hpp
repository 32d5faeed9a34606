// qturn merge: one output of the shards that wrote to it.
#ifndef QTURN_TOOLS_QTURN_MERGE_HPP
#define QTURN_TOOLS_QTURN_MERGE_HPP

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Returns the exit status. Throws as merge_shards().
int merge(const CommandLine& line);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_MERGE_HPP
