// The manifest of an augmentation: it says which file holds which orientation of which picture.
#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include "src/dataset/written_pictures.hpp"
#include "src/files/content_hash.hpp"
#include "src/files/journals.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

// The lines of an augmentation's manifest, written and read.
// src/files/json_names.hpp says how they hold names that are not UTF-8.

/// A file that was written, with the hashes of its input and of itself.
struct ManifestFile {
  std::string output;  ///< relative to the manifest's folder
  ContentHash source = {}, result = {};
  CompanionKind kind = {};  ///< if it is a companion
};

struct ManifestEntry {
  std::string key;
  Orientation variant{};
  ManifestFile picture;
  Route route = Route::none;
  std::vector<ManifestFile> companions = {};  ///< in the order of their kinds
  std::vector<std::string> labels_in = {};    ///< outputs that hold labels of many pictures

  /// The order of the entries in a manifest.
  std::weak_ordering operator<=>(const ManifestEntry& other) const;
  bool operator==(const ManifestEntry& other) const { return std::is_eq(*this <=> other); }
};

/// A picture that lacks a result.
struct ManifestFailure {
  std::string key, why;
};

/// The first line. qturn_manifest (its version), program, options.
struct ManifestHeader {
  std::string program;  ///< the version of qturn
  /// The options that decide which bytes are written, as words of a command line. Nothing if runs
  /// with different options have made the files, or if that is not known.
  std::optional<std::vector<std::string>> options;
  bool operator==(const ManifestHeader&) const = default;
};

/// A line of an augmentation's manifest: key, variant (the orientation's name), orientation (its
/// number), output, route, source, result; and label, sidecars, masks and labels_in where there are
/// any.
std::string manifest_line(const ManifestEntry& entry);

/// Nothing if it is not such a line.
std::optional<ManifestEntry> read_manifest_line(const std::string& line);

/// The first line of a manifest.
std::string manifest_line(const ManifestHeader& header);
/// The line of a file that is not a variant of a picture (a COCO file, a data set's file, a plain
/// copy): file (where it lies), source, result.
std::string manifest_line(const ManifestFile& file);
/// The line of a picture that failed: key, failed (why).
std::string manifest_line(const ManifestFailure& failure);

std::optional<ManifestHeader> read_manifest_header(const std::string& line);
std::optional<ManifestFile> read_manifest_file(const std::string& line);
std::optional<ManifestFailure> read_manifest_failure(const std::string& line);

/// What a run has done.
struct RunRecord {
  ManifestHeader header;
  const WrittenPictures& written;
  const RunOptions& options;
  const Journals* journals;  ///< null if there are none
  bool is_interrupted;
  std::vector<ManifestFile> files;  ///< files that were written after all pictures
};

/// Writes the manifest: the header, a line for each other file and for each picture that failed, a
/// line for each result that was written, or was there and is left alone. A result that this run
/// has not made and no earlier manifest lists is read. After an interruption the manifest keeps its
/// earlier lines, because their files still exist. A companion that an earlier manifest lists, such
/// as a label, is removed if it is not made any more and its content is still as listed. Returns
/// warnings; throws FileError.
std::vector<std::string> write_manifest(const std::filesystem::path& manifest, const Plan& plan,
                                        const RunRecord& record, IfExists if_exists);

/// Reads what the manifest says about results in its folder, as a finished run's journal would say
/// it. Nothing if there is no manifest, or if other options made the results.
std::optional<JournalContent> read_manifest(const std::filesystem::path& manifest,
                                            const std::vector<std::string>& options);

}  // namespace qturn
