// Where the journals of a run are, and what they say about it.
#ifndef QTURN_TOOLS_QTURN_JOURNALING_HPP
#define QTURN_TOOLS_QTURN_JOURNALING_HPP

#include <memory>

#include "src/files/group_commit.hpp"
#include "src/files/journals.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Opens the journals of this run: in place, where roots_in_place() says; otherwise in the output
/// folder, or in that of the shard. Null if the output is a file. Throws PlanError if the
/// options do not fit together, otherwise as Journals.
std::unique_ptr<Journals> open_journals(const CommandLine& line, const PlanOptions& options,
                                        const Plan& plan, JpegEdges edges, Fsync fsync);

/// Of --resume to an output of which nothing tells what a run has done there: the run begins, and
/// says so. In place open_journals() does this.
void begin_if_nothing_to_resume(CommandLine& line, JpegEdges edges);

/// Of --resume of a shard: whether all shards were merged, with the options of this run.
bool is_merged(const CommandLine& line, JpegEdges edges);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_JOURNALING_HPP
