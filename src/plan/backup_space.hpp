// Whether originals fit where a run keeps them.
#pragma once

#include <filesystem>

#include "src/plan/jobs.hpp"

namespace qturn {

/// `run`: the folder of the run, with the originals that it has kept already. Reckons as if every
/// picture were replaced. Throws PlanError if those that can only be copied there, from another
/// file system, need more room than there is.
void refuse_full_backup(const Plan& plan, const std::filesystem::path& run);

}  // namespace qturn
