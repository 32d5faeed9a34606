// Messages about labels before a run.
#pragma once

#include <filesystem>
#include <string>

#include "src/inputs/options.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {

/// Throws LabelsError if files about pictures would be left untrue, and --others does not permit
/// that. Prints the first ten; the error has the last of them.
void refuse_leftovers(const CommandLine& line, const Plan& plan);

/// "; --others leave ...": what to type if a file would be left untrue.
std::string answers_for_others(const CommandLine& line, const std::filesystem::path& file);

/// Throws PlanError if --strict is given and a file would be copied with the variants of its
/// picture.
void refuse_copied_sidecars(const CommandLine& line, const Plan& plan);

/// For augment without --labels-drawn-on. Throws PlanError if pictures with labels or masks have an
/// orientation tag, because it is not known what their labels were drawn on. If the first bytes of
/// a file do not tell, its turn does.
void refuse_unknown_frames(const CommandLine& line, const Plan& plan);

/// Prints how many pictures have labels, masks and sidecars, unless --quiet.
void say_labels(const CommandLine& line, const Plan& plan);

/// If results are mirrored, warns of classes that are named left or right, unless --quiet.
void warn_of_sides(const CommandLine& line, const Plan& plan);

/// For --random without --group. Throws PlanError if pictures whose names say that they belong
/// together would get different variants: two folders with the same names, or a.png and a_seg.png.
void refuse_pairs(const CommandLine& line, const Plan& plan);
/// "; --group ...": what to type if refuse_pairs() throws.
std::string answers_for_pairs(const std::string& group);

/// Prints all messages about labels before a run of another operation than augment. Throws
/// PlanError for all reasons not to start.
void check_labels_of_turn(const CommandLine& line, const Plan& plan, const ReportPlace& json);

}  // namespace qturn
