// The turns of an augmentation as labels, for training a classifier of orientations.
#ifndef QTURN_TOOLS_QTURN_ORIENTATION_LABELS_HPP
#define QTURN_TOOLS_QTURN_ORIENTATION_LABELS_HPP

#include <filesystem>
#include <string>
#include <vector>

#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Where they go, with --label-orientation; else empty. Throws PlanError as manifest_place() does.
std::filesystem::path orientation_labels_place(const CommandLine& line, const Plan& plan);

inline constexpr const char* orientation_labels_name = "orientations.csv";
inline constexpr const char* orientation_labels_header = "filename,orientation,variant,upright\n";

/// `output`: as in the manifest.
std::string orientation_row(const std::string& output, Orientation variant);

/// Writes a row for each picture that was written, and for each that was there and is left alone;
/// nothing if there is none. Returns what to warn of; throws FileError.
std::vector<std::string> write_orientation_labels(const std::filesystem::path& place,
                                                  const Plan& plan,
                                                  const std::vector<OrientationSet>& written);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_ORIENTATION_LABELS_HPP
