#include "src/plan/unturned_labels.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <system_error>

#include "src/files/content_hash.hpp"
#include "src/picture/text.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/folder_layout.hpp"
#include "src/plan/label_places.hpp"
#include "src/plan/output_names.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Whether a folder of labels beside inputs is about them, and not about another data set there:
/// train_masks beside train; masks beside any folder, if a file in it is called as a picture.
bool belongs_to(const fs::path& folder, const std::set<std::string>& inputs,
                const std::set<std::string>& pictures) {
  const std::string name = folder.filename().string();
  if (!may_be_labels_of_any(name))
    return std::ranges::any_of(
        inputs, [&](const std::string& input) { return are_labels_of(name, input); });
  std::error_code error;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, error); !error && at != end(at);
       at.increment(error)) {
    if (belongs_to_any(lower_case(at->path().stem().string()), pictures)) return true;
  }
  return false;
}

/// "a_mask.png"
bool is_named_as_mask(const fs::path& picture) {
  return stem_of_mask(lower_case(picture.stem())).has_value();
}

/// What lies among labels: those of other pictures, lists of classes, what Ultralytics keeps.
bool may_lie_among_labels(const fs::path& file) {
  const std::string suffix = lower_case(file.extension());
  return suffix == ".txt" || suffix == ".xml" || suffix == ".cache" || suffix == ".yaml" ||
         suffix == ".yml";
}

/// A file below `folder` that is not among `pictures` and does not belong to labels or masks, nor
/// to a run that was interrupted. The first by its path.
std::optional<fs::path> another_file_in(const fs::path& folder, const PathSet& pictures,
                                        const JobList& jobs, bool looks_for_masks) {
  const bool holds_labels = jobs.labels().are_below(folder);
  const bool may_hold_masks = !looks_for_masks || jobs.masks().are_below(folder);
  std::optional<fs::path> found;
  std::error_code error;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, options, error); !error && at != end(at);
       at.increment(error)) {
    const std::string& path = at->path().native();
    if (!at->is_regular_file(error) || pictures.contains(path)) continue;
    if (is_of_a_run(at->path().filename().native())) continue;
    if (jobs.have_companion(path) || jobs.shared_labels().contain(path)) continue;
    const bool may_lie = is_named_as_picture(at->path())
                             ? may_hold_masks
                             : holds_labels && may_lie_among_labels(at->path());
    if (!may_lie && (!found || at->path() < *found)) found = at->path();
  }
  return found;
}

/// A folder of the input. Paths are absolute and normal.
struct Folder {
  explicit Folder(const FileList::Folder& folder)
      : in_input(folders_below_input(folder)),
        prefix(normal_path(folder.path)),
        lower_prefix(lower_case(prefix)),
        is_for_labels(std::any_of(in_input.begin(), in_input.end(), is_label_folder)) {}

  fs::path in_input;
  std::string prefix, lower_prefix;  ///< of paths in it
  bool is_for_labels;
  bool is_to_do = false;  ///< it holds a picture that is to be turned
};

}  // namespace

std::optional<fs::path> find_unturned_label(const Plan& plan, Variants variants,
                                            bool looks_for_masks) {
  const FileList& files = plan.jobs.files();
  // A mask must not be turned as a picture of its own if it gets another variant than its picture,
  // or if its picture could not be looked into.
  const bool refuses_lone_masks =
      looks_for_masks && (variants == Variants::drawn_for_each || !plan.unreadable.empty());
  std::map<std::uint32_t, Folder> folders;
  LabelPlaces places;
  PathSet pictures, stems;
  std::set<std::string> names;  // stems without folders
  for (const FoundFile& file : files) {
    if (!file.picture) continue;
    Folder& folder = folders.try_emplace(file.folder, files.folder_of(file)).first->second;
    // What an earlier run has turned is a picture too, not a label.
    pictures.add(folder.prefix + file.name);
    if (file.to_do.empty()) continue;
    if (refuses_lone_masks && (folder.is_for_labels || is_named_as_mask(file.name)))
      return files.path(file);
    stems.add(folder.lower_prefix + lower_case(fs::path(file.name).stem()));
    const std::string stem = lower_case(fs::path(file.name).stem());
    names.insert({stem, stem.substr(0, variant_place(stem))});
    if (!folder.is_to_do) places.add(files.folder_of(file));
    folder.is_to_do = true;
  }
  pictures.sort();
  stems.sort();
  const auto is_mask_of_picture = [&](const fs::path& file) {
    if (plan.jobs.have_companion(file.native()) ||
        plan.jobs.shared_labels().contain(file.native())) {
      return false;
    }
    const std::string stem = lower_case(fs::path(file).replace_extension());
    const auto of_picture = stem_of_mask(stem);
    return looks_for_masks && of_picture && !pictures.contains(file.native()) &&
           stems.contains(*of_picture);
  };
  std::error_code error;
  for (const fs::path& place : places.all()) {
    const auto parent = places.parents().find(place);
    const bool is_beside = parent != places.parents().end() && !places.folders().contains(place);
    for (fs::directory_iterator at(place, error); !error && at != end(at); at.increment(error)) {
      const fs::path& path = at->path();
      if (at->is_directory(error)) {
        if (!is_label_folder(path)) continue;
        if (is_beside && !belongs_to(path, parent->second, names)) continue;
        if (auto file = another_file_in(path, pictures, plan.jobs, looks_for_masks)) return file;
      } else if (!is_of_a_run(path.filename().native()) && is_mask_of_picture(path)) {
        return path;
      }
    }
  }
  return std::nullopt;
}

std::set<fs::path> find_label_caches(const JobList& jobs) {
  std::set<fs::path> folders, caches;
  for (const LabelFiles::Place& place : jobs.labels().places()) {
    if (!place.holds_any) continue;
    const fs::path path = jobs.names().in_place() ? fs::path(place.folder.path)
                                                  : fs::path(jobs.names().folder_of(place.folder));
    const fs::path folder = without_slash(path.empty() ? "." : path);
    folders.insert({folder, folder.parent_path().empty() ? "." : folder.parent_path()});
  }
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error); !error && at != end(at); at.increment(error)) {
      const fs::path& path = at->path();
      if (lower_case(path.extension()) == ".cache" && at->is_regular_file(error))
        caches.insert(from_here(path));
    }
  }
  return caches;
}

}  // namespace qturn
