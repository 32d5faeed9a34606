#include "src/plan/foreign_labels.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/formats/table.hpp"
#include "src/labels/coordinates.hpp"
#include "src/picture/text.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/folder_layout.hpp"
#include "src/plan/label_places.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class ForeignLabelFinder {
 public:
  ForeignLabelFinder(const PlanOptions& options, const Plan& plan)
      : options_(options), jobs_(plan.jobs), suspicion_(true) {}

  std::optional<LabelSuspicion::Label> find() {
    const FileList& files = jobs_.files();
    std::set<std::uint32_t> of_pictures;
    for (const FoundFile& file : files) {
      if (!file.is_own_picture()) continue;
      takes_arrays_ = takes_arrays_ || is_array(file.name);
      suspicion_.add_picture(file.name);
      of_pictures.insert(file.folder);
    }
    for (const LabelFiles::Label& label : jobs_.labels())
      suspicion_.ignore(jobs_.labels().place_of(label).format->name);
    std::set<std::pair<std::string, std::string>> folders;  // whose order is always the same
    for (std::size_t i = 0; i < files.folder_count(); ++i)
      folders.emplace(files.folder_at(i).path, files.folder_at(i).key);
    for (const auto& [path, key] : folders) look_in(path, key, true);
    LabelPlaces places;
    for (const std::uint32_t folder : of_pictures) places.add(files.folder_at(folder));
    for (const fs::path& place : places.all()) look_around(place, of_pictures);
    return suspicion_.found();
  }

 private:
  struct Entries {
    std::vector<std::string> files, folders, links;
  };

  Entries entries_of(const fs::path& folder) const {
    Entries entries;
    std::error_code error;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, error); !error && at != end(at);
         at.increment(error)) {
      const std::string name = at->path().filename();
      if (is_of_a_run(name) || (!options_.hidden && is_hidden(name))) continue;
      std::error_code unknown;
      if (at->is_directory(unknown))
        (at->is_symlink(unknown) ? entries.links : entries.folders).push_back(name);
      else if (has_suffix_of_labels(lower_case(fs::path(name).extension().string())) &&
               at->is_regular_file(unknown))
        entries.files.push_back(name);
    }
    for (auto* names : {&entries.files, &entries.folders, &entries.links})
      std::ranges::sort(*names);
    return entries;
  }

  /// `key`: of the folder below the output, for --exclude.
  void look_in(const fs::path& folder, const std::string& key, bool follows) {
    if (suspicion_.found() || !seen_.insert(normal_path(folder / "")).second) return;
    const Entries entries = entries_of(folder);
    for (const std::string& name : entries.files) look_at(folder, key, name);
    if (!follows || options_.follow) return;
    for (const std::string& name : entries.links)
      if (!is_excluded(options_, key + name, name)) look_in(folder / name, key + name + "/", false);
  }

  /// In a place that may be outside of the inputs.
  void look_around(const fs::path& place, const std::set<std::uint32_t>& of_pictures) {
    look_in(from_here(place), "", false);
    if (suspicion_.found()) return;
    for (const std::string& name : entries_of(place).folders) {
      const auto belongs = [&](std::uint32_t number) {
        const fs::path pictures = normal_path(jobs_.files().folder_at(number).path);
        const std::string below = pictures.lexically_relative(place).begin()->string();
        return below != ".." && are_labels_of(name, below);
      };
      if (!suspicion_.found() && std::ranges::any_of(of_pictures, belongs))
        look_below(from_here(place / name));
    }
  }

  void look_below(const fs::path& folder) {
    look_in(folder, "", false);
    for (const std::string& name : entries_of(folder).folders)
      if (!suspicion_.found()) look_below(folder / name);
  }

  void look_at(const fs::path& folder, const std::string& key, const std::string& name) {
    if (suspicion_.found() || is_excluded(options_, key + name, name)) return;
    if (takes_arrays_ && is_array(name)) return;
    const fs::path file = folder / name;
    const std::string path = normal_path(file);
    if (jobs_.have_companion(path) || jobs_.shared_labels().contain(path)) return;
    if (const std::optional<std::string> head = label_head_of(file))
      suspicion_.add_file(file, name, *head);
    else
      suspicion_.add_unreadable(file, name);
  }

  const PlanOptions& options_;
  const JobList& jobs_;
  LabelSuspicion suspicion_;
  std::set<std::string> seen_;
  bool takes_arrays_ = false;  // as pictures
};

}  // namespace

std::optional<LabelSuspicion::Label> find_foreign_label(const PlanOptions& options,
                                                        const Plan& plan) {
  return ForeignLabelFinder(options, plan).find();
}

}  // namespace qturn
