// Where the journals of a run are, and what they say of it.
#ifndef QTURN_TOOLS_QTURN_JOURNALING_HPP
#define QTURN_TOOLS_QTURN_JOURNALING_HPP

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/store/journals.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// The operation, and the options on which results and the choice of pictures depend.
std::string operation_of(const CommandLine& line, JpegEdges edges);

/// The inputs of a run, ascending, by their absolute names; many in short.
std::vector<std::string> absolute_inputs(const PlanOptions& options);

/// Opens the journals of this run: in place, in each folder that was named, or that a named file
/// lies in; for a list of files, in the deepest folder that all of them lie in; otherwise in the
/// output folder, or in that of the shard. Null if the output is a file. Throws PlanError if the
/// options do not fit together, otherwise as Journals.
std::unique_ptr<Journals> open_journals(const CommandLine& line, const PlanOptions& options,
                                        const Plan& plan, JpegEdges edges, bool flushed);

/// Of --resume to an output where no run was interrupted: the run begins, and says so. In place
/// open_journals() does this.
void begin_if_nothing_to_resume(CommandLine& line);

/// Where the results of the plan go, also those that are there already.
std::set<std::filesystem::path> result_folders(const Plan& plan);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_JOURNALING_HPP
