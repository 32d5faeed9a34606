// What augment does besides turning pictures: what it refuses and says before the run, and the
// files about all pictures that it writes after it.
#pragma once

#include <filesystem>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {

class Augmentation {
 public:
  /// Says what a run must know about labels. Throws PlanError.
  Augmentation(const CommandLine& line, const Plan& plan, const ReportPlace& json);

  /// Writes the manifest, the label files of many pictures and the files of data sets. An
  /// interrupted run writes the manifest alone, so that shorter files do not replace the files of
  /// an earlier run. False if one could not be written: messages say why.
  ///
  /// Writes nothing if no picture was written or is there. So a run that ended before its first
  /// result can be repeated, and no file is replaced by an empty one. `journals`: null if there are
  /// none.
  bool finish(const WrittenPictures& written, const RunOptions& options, const Journals* journals,
              bool is_interrupted) const;

 private:
  /// Writes the files that are not about one picture alone; a shard writes its part of them. Adds
  /// to `listed` what the manifest lists.
  FileResults write_files_of_all(const RunOptions& options, const WrittenPictures& written,
                                 std::vector<ManifestFile>& listed) const;

  const CommandLine& line_;
  const Plan& plan_;
  std::filesystem::path manifest_;
};

}  // namespace qturn
