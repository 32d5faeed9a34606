// The machine-readable lines: one JSON object per line (JSON Lines, UTF-8).
// src/files/json_names.hpp says how they hold names that are not UTF-8.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/plan/jobs.hpp"
#include "src/run/outcome.hpp"

namespace qturn {

/// input, output, orientation, applied, width, height, route, lossy, seconds, status, message,
/// warnings; and label, masks, sidecars and labels_in where there are any.
std::string json_line(const Outcome& outcome);

/// An output that exists and was skipped: input, output, status "skipped", message.
std::string json_line(const Skipped& skipped);

/// What a run without --dry-run would do, in fewer members than the line of an outcome.
std::string json_line_planned(const Outcome& outcome);

/// What `check` found: input, status "agrees", "disagrees" or "failed", findings, message.
std::string json_line_checked(const std::filesystem::path& input,
                              const std::vector<std::string>& findings, const std::string& failure);

/// What `check --against` found: input, status as above, what was applied to its pixels, message.
std::string json_line_compared(const Outcome& outcome);

}  // namespace qturn
