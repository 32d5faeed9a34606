// The machine-readable lines: one JSON object a line (JSON Lines, UTF-8).
//
// File names are bytes, JSON is UTF-8. A name that is not UTF-8 is written with U+FFFD for what is
// not, and once more, exactly, as hexadecimal digits in a second member with "_hex" added to its
// name.
#ifndef QTURN_TOOLS_QTURN_JSON_HPP
#define QTURN_TOOLS_QTURN_JSON_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "src/plan/jobs.hpp"
#include "src/run/outcome.hpp"

namespace qturn {

/// input, output, orientation, applied, width, height, route, seconds, status, message, warnings.
std::string json_line(const Outcome& outcome);

/// An output that was there already: input, output, status "skipped", message.
std::string json_line(const Skipped& skipped);

/// What --dry-run would do: input, output, orientation, status "planned".
std::string json_line_planned(const Job& job, const JobOutput& output, Orientation orientation);

/// What `check` found: input, status "agrees", "disagrees" or "failed", findings, message.
std::string json_line_checked(const std::filesystem::path& input,
                              const std::vector<std::string>& findings, const std::string& failure);

/// A line of an augmentation's manifest: key, variant (the orientation's name), orientation (its
/// number), output (relative to `folder`).
std::string manifest_line(const Outcome& outcome, const std::filesystem::path& folder);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_JSON_HPP
