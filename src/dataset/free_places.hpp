// Whether files that are written when all pictures are can go to their places.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/plan/jobs.hpp"

namespace qturn {

/// Throws PlanError if a file cannot go to this place: a symbolic link is there, or a
/// file that must not be replaced. `what` it is, in words.
void check_place(const std::filesystem::path& place, IfExists if_exists, std::string_view what);

/// Where a file of this name goes that is about all pictures of the plan. Throws PlanError as
/// check_place(), and if a copy of another file goes there.
std::filesystem::path place_in_output(const Plan& plan, const std::string& name, IfExists if_exists,
                                      std::string_view what);

}  // namespace qturn
