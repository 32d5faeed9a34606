// The files about many pictures that are turned with them: labels such as COCO's, the YAML file of
// a data set and its lists.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/dataset/manifest_lines.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/safe_file.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/options.hpp"

namespace qturn {

/// What became of files that are about all pictures.
struct FileResults {
  bool is_whole = true;  ///< false: something is missing, of which `failures` need not tell
  std::vector<std::string> failures = {};  ///< why files are not written
  std::vector<std::string> warnings = {};

  /// Writes a file: `write` returns warnings, and a FileError that it throws is a failure.
  void add(const std::function<std::vector<std::string>()>& write);
};

/// Calls `visit` with each of the files and with what it is made of. Throws PlanError if one could
/// not be written, as check_place() does.
void check_shared_files(const Plan& plan, IfExists if_exists,
                        const std::function<void(const std::filesystem::path&)>& visit);

/// Writes the files. Must be called when the pictures are written. Writes nothing if no picture was
/// written or is there. `if_exists` is also for what another program has written since they were
/// checked. Adds to `listed` what a manifest lists.
FileResults write_shared_files(const Plan& plan, const RunOptions& options,
                               const WrittenPictures& written, IfExists if_exists,
                               std::vector<ManifestFile>& listed);

}  // namespace qturn
