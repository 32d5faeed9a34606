// The files about many pictures that are turned with them: COCO and CSV labels, the YAML file of a
// data set and its lists.
#ifndef QTURN_TOOLS_QTURN_SHARED_FILES_HPP
#define QTURN_TOOLS_QTURN_SHARED_FILES_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/dataset/manifest_lines.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/shared_labels.hpp"

namespace qturn {

/// False if a file that `write` writes could not be: a message says why. Prints what it warns of.
bool write_and_warn(const std::function<std::vector<std::string>()>& write);

class SharedFiles {
 public:
  SharedFiles(const CommandLine& line, const Plan& plan) : line_(line), plan_(plan) {}

  /// Throws PlanError if one could not be written. `keep_reports_from` is told of each of them, and
  /// of what it is made of.
  void check(const std::function<void(const std::filesystem::path&)>& keep_reports_from) const;

  /// Writes the files. Must be called when the pictures are written. Adds to `listed` what the
  /// manifest lists. False if one could not be written: messages say why.
  bool write(const WrittenPictures& written, std::vector<ManifestFile>& listed) const;

 private:
  const CommandLine& line_;
  const Plan& plan_;
};

/// Writes the shared files after a run of another operation than augment that was not interrupted.
/// Writes nothing if no picture was written or is there.
bool write_shared_files(const CommandLine& line, const Plan& plan, const Report& report);

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_SHARED_FILES_HPP
