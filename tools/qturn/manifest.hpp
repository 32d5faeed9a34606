// The manifest of an augmentation: which file holds which orientation of which picture.
#ifndef QTURN_TOOLS_QTURN_MANIFEST_HPP
#define QTURN_TOOLS_QTURN_MANIFEST_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/dataset/made_files.hpp"
#include "src/dataset/manifest_lines.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/pipeline.hpp"
#include "src/store/journals.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Throws PlanError if a file that is written when all pictures are cannot go to its place: a
/// symbolic link is there, or a file that must not be replaced. `what` it is, in words.
void check_place(const CommandLine& line, const std::filesystem::path& place,
                 std::string_view what);

/// Where a file of this name goes that is about all pictures of the plan. Throws PlanError if
/// something else is there, or would be, or if such a file is there and must not be replaced.
/// `what` it is, in words.
std::filesystem::path place_in_output(const CommandLine& line, const Plan& plan,
                                      const std::string& name, std::string_view what);

/// What a run has done, by the numbers of files.
struct RunRecord {
  ManifestHeader header;
  const std::vector<OrientationSet>& written;  ///< by this run, or by the one that it resumes
  const MadeFiles& made;                       ///< by this run
  const RunOptions& options;
  const Journals* journals;  ///< null if there are none
  bool is_interrupted;
  std::vector<ManifestFile> files;  ///< that were written when all pictures were
};

/// Writes the manifest: the header, a line for each other file, a line for each picture that was
/// written, and for each that was there and is left alone. What this run has not made, and no
/// earlier manifest lists, is read. Of an interrupted run also the lines that the manifest had
/// before, because what they list is there still. Returns what to warn of; throws FileError.
std::vector<std::string> write_manifest(const std::filesystem::path& manifest, const Plan& plan,
                                        const RunRecord& record);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_MANIFEST_HPP
