// The files about many pictures that are turned with them: labels such as COCO's, the YAML file of
// a data set and its lists.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/safe_file.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"

namespace qturn {

// The turned YAML file of a data set and its lists of pictures, which are written when the pictures
// of an augmentation are.

/// What a list of pictures has for one of them, by its place in the list: a line for each variant
/// that was `written`, and for each that was there and is left alone.
std::string lines_of_picture(const DataSets::File& list, std::size_t place, const Plan& plan,
                             const std::vector<OrientationSet>& written);

/// The turned file, be it a list or not.
std::string data_set_text(const DataSets::File& file, const Plan& plan,
                          const std::vector<OrientationSet>& written);

/// Writes the file with this text. `made` is as in write_shared_labels(). Returns warnings;
/// throws FileError.
std::vector<std::string> write_data_set_file(const DataSets::File& file, std::string text,
                                             const std::filesystem::path& output_folder,
                                             const std::function<void(const ManifestFile&)>& made,
                                             IfExists if_exists,
                                             const RealPlaces* places = nullptr);

// Whether files that are written when all pictures are can go to their places.

/// Throws PlanError if a file cannot go to this place: a symbolic link is there, or a
/// file that must not be replaced. `what` it is, in words.
void check_place(const std::filesystem::path& place, IfExists if_exists, std::string_view what);

/// Where a file of this name goes that is about all pictures of the plan. Throws PlanError as
/// check_place(), and if a copy of another file goes there.
std::filesystem::path place_in_output(const Plan& plan, const std::string& name, IfExists if_exists,
                                      std::string_view what);

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
