#include "src/plan/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/formats/table.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/folder_layout.hpp"
#include "src/plan/in_place.hpp"
#include "src/plan/label_files.hpp"
#include "src/plan/mask_files.hpp"
#include "src/plan/outputs.hpp"
#include "src/plan/sidecar_files.hpp"
#include "src/plan/tables.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

void refuse_unfit_options(const PlanOptions& options) {
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

/// What is made once for all pictures takes the place neither of another one nor of what belongs to
/// a picture.
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
      const FoundFile& picture = jobs.files()[each.file];
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

/// In place, interrupted in the middle, such a file would say about some pictures what is no longer
/// true. In a tar each sample has labels of its own.
void refuse_shared(const SharedLabels& labels, bool in_place) {
  for (const SharedLabels::Broken& file : labels.broken()) throw LabelsError(file.problem);
  for (const SharedLabels::File& file : labels.files()) {
    if (file.found == 0) continue;
    if (in_place) {
      throw LabelsError(
          fmt::format(
              "{}: {} labels of many pictures in one file are not turned in place; write the "
              "turned pictures and labels into a folder",
              file.input.string(), file.format->name),
          {Hint::into_output, Hint::correct_labels});
    }
    throw LabelsError(fmt::format(
        "{}: labels many pictures, and in a tar each sample has labels of its own; name a folder "
        "as output",
        file.input.string()));
  }
}

/// What is turned with pictures is not copied as it is, too.
void mark_as_companions(FileList& files, const CompanionFiles& labels, const PathSet& made_once) {
  for (FoundFile& file : files) {
    if (file.picture) continue;
    const std::string path = normal_path(files.path(file));
    if (labels.contain(path) || made_once.contains(path)) file.is_companion = true;
  }
}

/// One of those that are found only when their picture is turned.
bool may_be_sidecar(const fs::path& path, const FileList& files) {
  const fs::path named = fs::path(path).replace_extension();
  return is_xmp(path) && std::ranges::any_of(files, [&](const FoundFile& file) {
           const fs::path picture = files.path(file);
           return file.picture &&
                  (picture == named || fs::path(picture).replace_extension() == named);
         });
}

}  // namespace

JobList::JobList(FileList files, OutputNames names, CompanionFiles labels,
                 SharedLabels shared_labels, CompanionFiles masks, DataSets data_sets,
                 CompanionFiles sidecars)
    : files_(std::move(files)),
      names_(std::move(names)),
      labels_(std::move(labels)),
      sidecars_(std::move(sidecars)),
      masks_(std::move(masks)),
      shared_labels_(std::move(shared_labels)),
      data_sets_(std::move(data_sets)) {
  for (std::size_t number = 0; number < files_.size(); ++number) {
    const FoundFile& file = files_[number];
    const auto outputs = static_cast<std::uint64_t>(file.to_do.size());
    output_count_ += outputs;
    skipped_count_ += static_cast<std::uint64_t>(file.kept.size());
    work_bytes_ += outputs * file.bytes;
    if (outputs > 0) order_.push_back(number);
  }
  // Files have ascending keys, so their numbers decide ties by key.
  std::ranges::sort(order_, {},
                    [&](std::size_t number) { return std::pair(~files_[number].bytes, number); });
}

Job JobList::job_of(std::size_t number) const {
  const FoundFile& file = files_[number];
  Job job{.number = number,
          .input = files_.path(file),
          .key = files_.key(file),
          .file_bytes = file.bytes,
          .target = file.picture ? names_.target() : nullptr,
          .outputs = {},
          .copy_verbatim = !file.picture};
  job.shared_labels = shared_labels_.of(number);
  job.problem = shared_labels_.problem(number);
  file.to_do.for_each([&](Orientation variant) {
    job.outputs.push_back(
        {names_.path_of(files_, file, variant), variant, companions_of(number, variant)});
  });
  return job;
}

std::vector<Companion> JobList::companions_of(std::size_t number, Orientation variant) const {
  std::vector<Companion> all;
  for (const CompanionFiles* among : companions())
    for (const CompanionFiles::File& each : among->all_of(number))
      all.push_back({among->kind(), among->path(each), output_of(*among, each, variant),
                     among->place_of(each).rule});
  return all;
}

bool JobList::have_companion(std::string_view path) const {
  return std::ranges::any_of(companions(), [&](const auto* each) { return each->contain(path); });
}

fs::path JobList::output_of(const CompanionFiles& among, const CompanionFiles::File& companion,
                            Orientation variant) const {
  if (names_.in_place()) return among.path(companion);
  const FoundFile& file = files_[companion.file];
  return names_.folder_of(among.place_of(companion).folder) +
         CompanionFiles::name_of(companion, file.name, names_.name_of(file, variant));
}

Skipped JobList::skipped(const FoundFile& file, Orientation variant) const {
  return {files_.path(file), names_.path_of(files_, file, variant), files_.key(file), variant,
          file.picture != 0};
}

Plan plan(const PlanOptions& options) try {
  refuse_unfit_options(options);
  FoundFiles found = options.standard_input ? find_on_standard_input(options) : find_files(options);
  const bool in_place = options.output.empty();
  const bool copy_others = options.others == Others::copy && !in_place;

  Plan plan;
  plan.unreadable = found.unreadable;
  plan.journals = found.journals;
  plan.with_temporaries = found.with_temporaries;
  plan.others = found.types;
  const auto is_picture = [](const FoundFile& file) { return file.picture != 0; };
  const bool any_picture = std::ranges::any_of(found.files, is_picture);
  PathSet others;
  found.files.erase_if([&](const FoundFile& file) {
    if (file.picture || copy_others) return false;
    if (file.is_named && any_picture) {
      const std::string path = found.files.path(file);
      plan.unreadable.push_back(not_a_picture(path));
      if (!is_array(path)) return true;
      found.unopened.emplace(path, plan.unreadable.back());  // unless it is a mask
      return true;
    }
    const std::string suffix = lower_suffix(file.name);
    ++plan.others[suffix.empty() ? "no suffix" : suffix];
    if (options.labels.take != TakeLabels::none || is_array(file.name))
      others.add(normal_path(found.files.path(file)));
    return true;
  });
  if (!any_picture) refuse_no_pictures(options, found, plan);

  const bool one_file =
      options.standard_input ||
      (options.inputs.size() + options.listed.size() == 1 && found.folders.empty());
  OutputNames names(options, one_file);
  if (options.standard_input && !names.folder().empty())
    throw PlanError("a picture from standard input has no name; name a file as output, or -");
  CompanionFiles masks = find_mask_files(options, found);
  CompanionFiles labels = find_label_files(options, found, &names);
  SharedLabels shared_labels =
      find_shared_labels(options, found, labels, masks, names, plan.unreadable);
  if (in_place || options.to_samples) refuse_shared(shared_labels, in_place);
  DataSets data_sets = in_place ? DataSets() : find_data_sets(options, found, names);
  PathSet made_once;
  for_each_made_once(shared_labels, data_sets, [&](const fs::path& input, const fs::path&) {
    made_once.add(normal_path(input));
  });
  for (const SharedLabels::Broken& file : shared_labels.broken())
    made_once.add(normal_path(file.input));
  made_once.sort();
  const auto is_taken = [&](const std::string& path) {
    return labels.contain(path) || masks.contain(path) || shared_labels.contain(path) ||
           made_once.contains(path);
  };
  if (!options.standard_input && !names.is_standard_output()) {
    std::set<std::string_view> formats;
    for (const CompanionFiles::File& label : labels)
      formats.insert(labels.place_of(label).rule->format->name);
    plan.leftovers = find_leftovers(options, found, is_taken, formats, !plan.unreadable.empty());
  }
  CompanionFiles sidecars;
  if (options.to_samples || (!options.standard_input && !names.is_standard_output())) {
    const bool any = options.has_variants() || options.to_samples;
    sidecars = find_sidecar_files(
        options, found, any ? SidecarKinds::all : SidecarKinds::world_files,
        [&](const std::string& path) {
          return is_taken(path) || (!copy_others && plan.leftovers.paths.contains(path));
        });
  }
  if (options.has_variants() && !options.to_samples && options.labels.take != TakeLabels::none) {
    add_tables(plan.leftovers.tables, found.files, names, {&labels, &sidecars, &masks}, data_sets);
    for (const DataSets::File& file : data_sets.files()) made_once.add(normal_path(file.input));
    made_once.sort();
  }
  if (copy_others) mark_as_companions(found.files, labels, made_once);
  others.sort();
  const auto leave_uncounted = [&](const fs::path& path) {
    const auto counted = plan.others.find(lower_suffix(path));
    if (!others.contains(normal_path(path)) || counted == plan.others.end()) return;
    if (--counted->second == 0) plan.others.erase(counted);
  };
  const CompanionFiles::All companions = {&labels, &sidecars, &masks};
  for (const CompanionFiles* among : companions)
    for (const CompanionFiles::File& each : *among) leave_uncounted(among->path(each));
  // What belongs to a picture is opened again with it, and its picture fails if that fails.
  for (const auto& [path, sentence] : found.unopened) {
    const std::string normal = normal_path(path);
    if (is_taken(normal) || sidecars.contain(normal) ||
        (options.sidecars && may_be_sidecar(path, found.files)))
      std::erase(plan.unreadable, sentence);
  }
  if (in_place) {
    place_in_place(options, companions, found.files, plan.places);
  } else {
    place_outputs(options, names, companions, found, plan.places);
  }
  plan.output_folder = names.folder();
  plan.jobs =
      JobList(std::move(found.files), std::move(names), std::move(labels), std::move(shared_labels),
              std::move(masks), std::move(data_sets), std::move(sidecars));
  refuse_made_once_in_one_place(plan.jobs);
  plan.jobs.for_each_made_once([&](const fs::path& input, const fs::path& output) {
    leave_uncounted(input);
    plan.places.add_folder(output.parent_path());
    plan.places.add_file(output);
  });
  return plan;
} catch (const fs::filesystem_error& error) {
  throw PlanError(error.path1().string() + ": " + error.code().message());
}

}  // namespace qturn
