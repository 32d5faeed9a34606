// Where the journals of a run lie and what they say of its inputs, so that a run that resumes it is
// known to be the same.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/files/journals.hpp"
#include "src/plan/plan.hpp"

namespace qturn {

/// Of a run in place: each folder that was named, or that a named file lies in; for a list of
/// files, the deepest folder that all of them lie in.
std::vector<JournalRoot> roots_in_place(const PlanOptions& options);

/// The inputs of a run, ascending, by their absolute names; many in short.
std::vector<std::string> absolute_inputs(const PlanOptions& options);

/// Where the results of the plan go, also those that are there already, and where a killed run has
/// left temporaries.
std::set<std::filesystem::path> result_folders(const Plan& plan);

}  // namespace qturn
