// Where the journals of a run lie, and what they say about its inputs. From that a run with
// --resume knows whether it is the same run.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/files/journals.hpp"
#include "src/plan/plan.hpp"

namespace qturn {

/// The roots of a run in place: each named folder, and the folder of each named file; for a list
/// of files, the deepest folder that holds all of them.
std::vector<JournalRoot> roots_in_place(const PlanOptions& options);

/// The inputs of a run as absolute names, ascending. Many names become their number and hash.
std::vector<std::string> absolute_inputs(const PlanOptions& options);

/// The folders in which results of the plan go or already lie, and those in which a killed run has
/// left temporaries.
std::set<std::filesystem::path> result_folders(const Plan& plan);

}  // namespace qturn
