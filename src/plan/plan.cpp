#include "src/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/companions/companion_files.hpp"
#include "src/companions/data_sets.hpp"
#include "src/companions/find_companions.hpp"
#include "src/companions/label_files.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/companions/tables.hpp"
#include "src/files/content_hash.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/inputs/output_names.hpp"
#include "src/plan/places.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

void refuse_unfit(const PlanOptions& options) {
  if (!options.output.empty()) return;
  if (options.format) {
    throw WithHints<PlanError>(
        {Hint::into_output},
        "another format gives a file another suffix, so it cannot be changed in place; name an "
        "output");
  }
  if (options.has_variants()) {
    throw WithHints<PlanError>({Hint::into_output},
                               "several pictures cannot take the place of one; name an output");
  }
}

[[noreturn]] void refuse_no_pictures(const PlanOptions& options, const FoundFiles& found,
                                     const Plan& plan) {
  SomeNames places;
  for (const fs::path& input : options.inputs) places.add(input.string());
  if (!options.listed.empty()) places.add("the list");
  if (places.count() == 0) throw PlanError("no input files");

  std::string message = "no pictures in " + places.text();
  SomeNames types;
  for (const auto& [type, count] : plan.others) types.add(fmt::format("{} {}", count, type));
  if (types.count() > 0) message += "; found only " + types.text();
  const bool any_raw =
      std::ranges::any_of(plan.others, [](const auto& type) { return is_camera_raw(type.first); });
  if (found.left_out > 0) message += fmt::format("; left out by patterns: {}", found.left_out);
  throw WithHints<PlanError>(any_raw ? Hints{Hint::turn_raw_tag} : Hints(),
                             message + cannot_look_into(plan.unreadable));
}

/// A file that is made once for all pictures needs a place of its own: neither another such file
/// nor a companion of a picture may go there.
void refuse_made_once_in_one_place(const JobList& jobs) {
  std::map<fs::path, fs::path> made_once;  // the input, by its output
  jobs.for_each_made_once([&](const fs::path& input, const fs::path& output) {
    const auto [other, is_new] = made_once.emplace(output, input);
    if (is_new) return;
    throw PlanError(fmt::format("{} and {} would both be written to {}", other->second.string(),
                                input.string(), output.string()));
  });
  if (made_once.empty()) return;
  for (const CompanionFiles* among : jobs.companions()) {
    for (const CompanionFiles::File& each : *among) {
      const FoundFile& picture = jobs.files()[each.picture];
      (picture.to_do | picture.kept).for_each([&](Orientation variant) {
        const auto other = made_once.find(jobs.output_of(*among, each, variant));
        if (other == made_once.end()) return;
        throw PlanError(fmt::format(
            "{} and {} would both be written to {}; run them one after the other, each with its "
            "own output",
            among->path(each).string(), other->second.string(), other->first.string()));
      });
    }
  }
}

/// The steps of plan(), in their order.
class Planner {
 public:
  explicit Planner(const PlanOptions& options)
      : options_(options),
        in_place_(options.output.empty()),
        copies_others_(options.others == Others::copy && !in_place_) {}

  Plan plan() {
    refuse_unfit(options_);
    find_pictures();
    name_outputs();
    find_labels_and_masks();
    find_what_is_made_once();
    if (has_place()) find_leftovers();
    if (has_place() || options_.to_samples) find_sidecars();
    if (options_.has_variants() && !options_.to_samples) find_tables();
    if (copies_others_) leave_uncopied();
    count_others();
    leave_to_their_pictures();
    place_results();
    make_jobs();
    return std::move(plan_);
  }

 private:
  /// Whether pictures and results lie in folders.
  bool has_place() const { return !options_.standard_input && !names_.is_standard_output(); }
  CompanionFiles::All companions() const { return {&labels_, &sidecars_, &masks_}; }

  /// Whether the file with this absolute, normal path is turned with pictures.
  bool is_taken(const std::string& path) const {
    return labels_.contain(path) || masks_.contain(path) || shared_labels_.contain(path) ||
           made_once_.contains(path);
  }

  void find_pictures() {
    found_ = options_.standard_input ? find_on_standard_input(options_) : find_files(options_);
    plan_.unreadable = found_.unreadable;
    plan_.journals = found_.journals;
    plan_.with_temporaries = found_.with_temporaries;
    plan_.others = found_.types;
    plan_.shared_stems = found_.shared_stems;
    const bool any_picture =
        std::ranges::any_of(found_.files, [](const FoundFile& file) { return file.picture != 0; });
    found_.files.erase_if([&](const FoundFile& file) {
      if (file.picture || copies_others_) return false;
      const std::string path = found_.files.path(file);
      if (file.is_named && any_picture) {
        plan_.unreadable.push_back(not_a_picture(path));
        if (is_array(path)) found_.unopened.emplace(path, plan_.unreadable.back());  // or a mask
        return true;
      }
      const std::string suffix = lower_suffix(file.name);
      ++plan_.others[suffix.empty() ? "no suffix" : suffix];
      if (options_.labels.take != TakeLabels::none || is_array(file.name))
        others_.add(normal_path(path));
      return true;
    });
    others_.sort();
    if (!any_picture) refuse_no_pictures(options_, found_, plan_);
  }

  void name_outputs() {
    const bool one_file =
        options_.standard_input ||
        (options_.inputs.size() + options_.listed.size() == 1 && found_.folders.empty());
    names_ = OutputNames(options_, one_file);
    plan_.output_folder = names_.folder();
    if (options_.standard_input && !names_.folder().empty())
      throw PlanError("a picture from standard input has no name; name a file as output, or -");
  }

  void find_labels_and_masks() {
    masks_ = find_mask_files(options_, found_);
    labels_ = find_label_files(options_, found_, &names_);
    shared_labels_ =
        find_shared_labels(options_, found_, labels_, masks_, names_, plan_.unreadable);
    if ((in_place_ || options_.to_samples) && !shared_labels_.broken().empty())
      throw LabelsError(shared_labels_.broken().front().problem);
  }

  void find_what_is_made_once() {
    if (!in_place_) data_sets_ = find_data_sets(options_, found_, names_);
    for (const SharedLabels::Broken& file : shared_labels_.broken())
      made_once_.add(normal_path(file.input));
    for_each_made_once(shared_labels_, data_sets_, [&](const fs::path& input, const fs::path&) {
      made_once_.add(normal_path(input));
    });
    made_once_.sort();
  }

  void find_leftovers() {
    std::set<std::string_view> formats;
    for (const CompanionFiles::File& label : labels_)
      formats.insert(labels_.place_of(label).rule->format->name);
    plan_.leftovers = qturn::find_leftovers(
        options_, found_, [this](const std::string& path) { return is_taken(path); }, formats,
        !plan_.unreadable.empty());
  }

  void find_sidecars() {
    const bool any = options_.has_variants() || options_.to_samples;
    sidecars_ = find_sidecar_files(
        options_, found_, any ? SidecarKinds::all : SidecarKinds::world_files,
        [&](const std::string& path) {
          return is_taken(path) || (!copies_others_ && plan_.leftovers.paths.contains(path));
        });
  }

  void find_tables() {
    if (options_.labels.take == TakeLabels::none) return;
    add_tables(plan_.leftovers.tables, found_.files, names_, companions(), data_sets_);
    for (const DataSets::File& file : data_sets_.files()) made_once_.add(normal_path(file.input));
    made_once_.sort();
  }

  /// A file that is turned with pictures is not also copied unchanged.
  void leave_uncopied() {
    for (FoundFile& file : found_.files) {
      if (file.picture) continue;
      const std::string path = normal_path(found_.files.path(file));
      if (labels_.contain(path) || made_once_.contains(path)) file.is_companion = true;
    }
  }

  /// Takes the files that belong to pictures out of the count of other files.
  void count_others() {
    for (const CompanionFiles* among : companions())
      for (const CompanionFiles::File& each : *among) leave_uncounted(among->path(each));
    for_each_made_once(shared_labels_, data_sets_,
                       [&](const fs::path& input, const fs::path&) { leave_uncounted(input); });
  }
  void leave_uncounted(const fs::path& path) {
    const auto counted = plan_.others.find(lower_suffix(path));
    if (!others_.contains(normal_path(path)) || counted == plan_.others.end()) return;
    if (--counted->second == 0) plan_.others.erase(counted);
  }

  /// A companion that could not be opened is tried again with its picture, and its picture then
  /// reports the failure.
  void leave_to_their_pictures() {
    for (const auto& [path, sentence] : found_.unopened) {
      const std::string normal = normal_path(path);
      if (is_taken(normal) || sidecars_.contain(normal) ||
          (options_.sidecars && may_be_sidecar(path)))
        std::erase(plan_.unreadable, sentence);
    }
  }
  /// Whether the file may be a sidecar that is found only when its picture is turned.
  bool may_be_sidecar(const fs::path& path) const {
    const fs::path named = fs::path(path).replace_extension();
    return is_xmp(path) && std::ranges::any_of(found_.files, [&](const FoundFile& file) {
             const fs::path picture = found_.files.path(file);
             return file.picture &&
                    (picture == named || fs::path(picture).replace_extension() == named);
           });
  }

  void place_results() {
    if (in_place_)
      place_in_place(options_, companions(), shared_labels_, found_, plan_.places);
    else
      place_outputs(options_, names_, companions(), found_, plan_.places);
  }

  void make_jobs() {
    plan_.jobs = JobList(std::move(found_.files), std::move(names_), std::move(labels_),
                         std::move(shared_labels_), std::move(masks_), std::move(data_sets_),
                         std::move(sidecars_));
    refuse_made_once_in_one_place(plan_.jobs);
    plan_.jobs.for_each_made_once([&](const fs::path&, const fs::path& output) {
      plan_.places.add_folder(output.parent_path());
      plan_.places.add_file(output);
    });
  }

  const PlanOptions& options_;
  const bool in_place_, copies_others_;
  FoundFiles found_;
  OutputNames names_;
  CompanionFiles masks_, labels_, sidecars_;
  SharedLabels shared_labels_;
  DataSets data_sets_;
  PathSet made_once_;  // the inputs of files that are made once for all pictures
  PathSet others_;     // the files that plan_.others counts
  Plan plan_;
};

}  // namespace

Plan plan(const PlanOptions& options) try {
  return Planner(options).plan();
} catch (const fs::filesystem_error& error) {
  throw PlanError(error.path1().string() + ": " + error.code().message());
}

}  // namespace qturn
