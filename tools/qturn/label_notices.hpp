// Messages about labels before a run.
#pragma once

#include <filesystem>
#include <string>

#include "src/plan/plan.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// All reasons not to start that lie in what belongs to the pictures. Throws PlanError; LabelsError
/// for a file that would be left untrue.
void refuse_unfit_companions(const CommandLine& line, const Plan& plan);

/// "; --others leave ...": what to type if a file would be left untrue.
std::string answers_for_others(const CommandLine& line, const std::filesystem::path& file);

/// Prints how many pictures have labels, masks and sidecars, unless --quiet.
void say_labels(const CommandLine& line, const Plan& plan);

/// If results are mirrored, warns of classes that are named left or right, unless --quiet.
void warn_of_sides(const CommandLine& line, const Plan& plan);

/// "; --group ...": what to type if pictures may belong together.
std::string answers_for_pairs(const std::string& group);

}  // namespace qturn
