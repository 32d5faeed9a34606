// The files about many pictures that are turned with them: labels such as COCO's, a data set's YAML
// file and its lists.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/files/safe_file.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "src/sinks/file_sample_writer.hpp"

namespace qturn {

// The turned YAML file of a data set and its lists of pictures. They are written after the pictures
// of an augmentation.

/// The lines of a turned list for the picture at `place` in the list: a line for each variant that
/// was `written`, and for each that was there and is left alone.
std::string lines_of_picture(const DataSets::File& list, std::size_t place, const Plan& plan,
                             const std::vector<OrientationSet>& written);

/// The text of the turned file, whether it is a list or not.
std::string data_set_text(const DataSets::File& file, const Plan& plan,
                          const std::vector<OrientationSet>& written);

/// Writes the file with this text. `made` is as `list` in write_shared_labels(). Returns warnings;
/// throws FileError.
std::vector<std::string> write_data_set_file(const DataSets::File& file, std::string text,
                                             const std::filesystem::path& output_folder,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists,
                                             const RealPlaces* places = nullptr);

// Checks whether files that are written after all pictures can go to their places.

/// Throws PlanError if a file cannot go to this place: a symbolic link is there, or a
/// file that must not be replaced. `what`: the file, in words.
void check_place(const std::filesystem::path& place, IfExists if_exists, std::string_view what);

/// The place for a file of this name that is about all pictures of the plan. Throws PlanError as
/// check_place() does, and if a copy of another file goes there.
std::filesystem::path place_in_output(const Plan& plan, const std::string& name, IfExists if_exists,
                                      std::string_view what);

/// The results of writing the files that are about all pictures.
struct FileResults {
  bool is_whole = true;  ///< false: something is missing, perhaps without a failure
  std::vector<std::string> failures = {};  ///< why files are not written
  std::vector<std::string> warnings = {};

  /// Writes a file: `write` returns warnings, and a FileError that it throws is a failure.
  void add(const std::function<std::vector<std::string>()>& write);
};

/// Calls `visit` with the path of each file and of its input. Throws PlanError if a file could not
/// be written, as check_place() does.
void check_shared_files(const Plan& plan, IfExists if_exists,
                        const std::function<void(const std::filesystem::path&)>& visit);

/// In place, when no other run can begin any more: throws PlanError if one of the files has changed
/// since the plan read it.
void refuse_changed_files(const Plan& plan);

/// In place: turns the labels of many pictures, in the files that hold them. Must be called when
/// the pictures are in their places.
FileResults replace_shared_files(const Plan& plan, const RunOptions& options,
                                 const WrittenPictures& written, Journals& journals,
                                 const FileSampleWriter& writer);

/// In place: the files that lack the labels of turned pictures. `written`: the pictures so far.
std::vector<std::filesystem::path> lagging_files(const Plan& plan, const WrittenPictures& written,
                                                 const Journals& journals);

/// Writes the files. Must be called when the pictures are written. Writes nothing if no picture was
/// written or is there. `if_exists` also decides about files that another program has written since
/// the check. Adds to `listed` what a manifest lists.
FileResults write_shared_files(const Plan& plan, const RunOptions& options,
                               const WrittenPictures& written, IfExists if_exists,
                               std::vector<ManifestFile>& listed);

}  // namespace qturn
