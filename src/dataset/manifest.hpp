// The manifest of an augmentation: which file holds which orientation of which picture.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/dataset/manifest_lines.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"

namespace qturn {

/// What a run has done.
struct RunRecord {
  ManifestHeader header;
  const WrittenPictures& written;
  const RunOptions& options;
  const Journals* journals;  ///< null if there are none
  bool is_interrupted;
  std::vector<ManifestFile> files;  ///< that were written when all pictures were
};

/// Writes the manifest: the header, a line for each other file and for each picture that failed, a
/// line for each picture that was written, and for each that was there and is left alone. What this
/// run has not made, and no earlier manifest lists, is read. After an interruption also the lines
/// that the manifest had before, because what they list still exists. What an earlier manifest
/// lists beside a picture, such as its label, is removed if it is not made any more, and is what
/// was written. Returns warnings; throws FileError.
std::vector<std::string> write_manifest(const std::filesystem::path& manifest, const Plan& plan,
                                        const RunRecord& record, IfExists if_exists);

/// What the manifest says of results in its folder, as a journal of a run that is done would.
/// Nothing if there is none, or if other options made them.
std::optional<JournalContent> read_manifest(const std::filesystem::path& manifest,
                                            const std::vector<std::string>& options);

}  // namespace qturn
