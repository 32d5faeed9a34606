// The machine-readable lines: one JSON object per line (JSON Lines, UTF-8).
// src/store/json_names.hpp says how they hold names that are not UTF-8.
#ifndef QTURN_TOOLS_QTURN_JSON_HPP
#define QTURN_TOOLS_QTURN_JSON_HPP

#include <compare>
#include <filesystem>
#include <optional>
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

/// A file that was written, and what it was made of.
struct ManifestFile {
  std::string output;  ///< relative to the manifest's folder
  ContentHash source = {}, result = {};
};

struct ManifestEntry {
  std::string key;
  Orientation variant{};
  ManifestFile picture;
  Route route = Route::none;
  std::optional<ManifestFile> label;
  std::vector<ManifestFile> masks;
  std::vector<std::string> labels_in;  ///< outputs that hold labels of many pictures

  /// Those of a manifest are ascending.
  std::weak_ordering operator<=>(const ManifestEntry& other) const;
  bool operator==(const ManifestEntry& other) const { return std::is_eq(*this <=> other); }
};

/// A line of an augmentation's manifest: key, variant (the orientation's name), orientation (its
/// number), output, route, source, result; and label, masks and labels_in where there are any.
std::string manifest_line(const ManifestEntry& entry);

/// Nothing if it is not such a line.
std::optional<ManifestEntry> read_manifest_line(const std::string& line);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_JSON_HPP
