#include "src/plan/places.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/files/journal.hpp"
#include "src/picture/text.hpp"
#include "src/plan/output_places.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// A file that the run would write: a result, a label, mask or sidecar that the plan knows, or a
/// sidecar of --sidecars.
struct Target {
  const FoundFile* file;
  const FileList::Folder* folder;  ///< the folder of its input
  std::string name;
  fs::path sidecar = {}, companion = {};  ///< of the input; both empty: this is the result
};

/// The rules for all that is written: results, labels and sidecars alike. There may be millions of
/// targets, so only a hash of each place is kept, without regard to case. Targets with the same
/// hash are then compared by their places.
class Targets {
 public:
  Targets(const PlanOptions& options, const OutputNames& names,
          const CompanionFiles::All& companions, FoundFiles& found)
      : places_(names),
        options_(options),
        names_(names),
        companions_(companions),
        found_(found),
        files_(found.files) {}

  void refuse_two_in_one_place();
  void refuse_files_as_folders();
  void refuse_inside_inputs();
  void settle_existing();
  void add_places(RealPlaces& places) const;

 private:
  /// Calls `visit(Target)` for the results, in the order of their files.
  template <typename Visit>
  void for_each_result(Visit visit) {
    for (const FoundFile& file : files_)
      names_.variants_of(files_, file).for_each([&](Orientation variant) {
        visit(result_of(file, variant));
      });
  }
  template <typename Visit>
  void for_each_companion(Visit visit) {
    for (const CompanionFiles* among : companions_)
      for (const CompanionFiles::File& companion : *among)
        names_.variants_of(files_, files_[companion.picture]).for_each([&](Orientation variant) {
          visit(companion_of(*among, companion, variant));
        });
  }
  template <typename Visit>
  void for_each_companion_of(std::size_t file, Orientation variant, Visit visit) {
    for (const CompanionFiles* among : companions_)
      for (const CompanionFiles::File& companion : among->all_of(file))
        visit(companion_of(*among, companion, variant));
  }
  /// Calls `visit(Target)` for the sidecars of pictures that are to do.
  template <typename Visit>
  void for_each_sidecar(Visit visit) {
    if (!options_.sidecars) return;
    for (const FoundFile& file : files_) {
      if (!file.picture || file.to_do.empty() || !files_.folder_of(file).may_hold_sidecars)
        continue;
      for (const Sidecar& sidecar : named_as_sidecars(files_.path(file))) {
        file.to_do.for_each([&](Orientation variant) {
          visit(Target{&file, &files_.folder_of(file),
                       sidecar_of(names_.name_of(file, variant), sidecar), sidecar.path});
        });
      }
    }
  }

  Target result_of(const FoundFile& file, Orientation variant) const {
    return {&file, &files_.folder_of(file), names_.name_of(file, variant)};
  }
  Target companion_of(const CompanionFiles& among, const CompanionFiles::File& companion,
                      Orientation variant) const {
    const FoundFile& file = files_[companion.picture];
    return {.file = &file,
            .folder = &among.place_of(companion).folder,
            .name = CompanionFiles::name_of(companion, file.name, names_.name_of(file, variant)),
            .companion = among.path(companion)};
  }

  std::string path_of(const Target& target) const {
    return names_.folder_of(*target.folder) + target.name;
  }
  std::string source_of(const Target& target) const {
    if (!target.companion.empty()) return target.companion;
    return target.sidecar.empty() ? files_.path(*target.file) : target.sidecar.string();
  }
  bool is_written(const Target& target) {
    return target.sidecar.empty() ||
           is_sidecar(target.sidecar, files_.path(*target.file), *found_.shared_stems);
  }
  std::string place_of(const Target& target);
  std::optional<struct stat> existing(const Target& target);
  const std::vector<FileId>& inputs();

  OutputPlaces places_;
  const PlanOptions& options_;
  const OutputNames& names_;
  const CompanionFiles::All& companions_;
  FoundFiles& found_;
  FileList& files_;
  PathSet taken_;  // places of results, in lower case
  std::vector<FileId> inputs_;
  std::set<fs::path> links_;  // in the places of results
};

/// The path that is written, with all links followed. Throws PlanError for a link to nothing.
std::string Targets::place_of(const Target& target) {
  const OutputPlaces::Folder& folder = places_.folder_of(*target.folder);
  std::string place = folder.prefix + target.name;
  if (!folder.exists || !fs::is_symlink(fs::symlink_status(place))) return place;
  if (!fs::exists(place) && is_written(target)) {
    throw PlanError(fmt::format(
        "{} is a symbolic link to a file that does not exist; remove it, or choose another output",
        path_of(target)));
  }
  links_.insert(path_of(target));
  return fs::weakly_canonical(place);
}

void Targets::add_places(RealPlaces& places) const {
  for (const auto& folder : places_.folders()) places.add_folder(folder.first);
  for (const fs::path& link : links_) places.add_file(link);
}

void Targets::refuse_two_in_one_place() {
  taken_ = {};
  std::size_t inputs = files_.size();
  for (const CompanionFiles* among : companions_) inputs += among->size();
  taken_.reserve(inputs * static_cast<std::size_t>(names_.most_variants()));
  const auto take = [&](const Target& target) { taken_.add(lower_case(place_of(target))); };
  for_each_result(take);
  for_each_companion(take);
  for_each_sidecar(take);
  taken_.sort();
  const PathSet suspects = taken_.repeated();
  if (suspects.empty()) return;

  struct Pair {
    std::string a, b, place;
  };
  std::vector<Pair> pairs;
  std::map<std::string, Target> seen;
  const auto compare = [&](const Target& target) {
    std::string place = place_of(target);
    std::string lower = lower_case(place);
    if (!suspects.contains(lower)) return;
    if (places_.folds_case(*target.folder)) place = std::move(lower);
    const auto [other, is_new] = seen.emplace(std::move(place), target);
    if (is_new || !is_written(target)) return;
    if (is_written(other->second) && source_of(other->second) == source_of(target)) {
      throw PlanError(
          fmt::format("{} belongs to {} and to {}, and would be written to {} for both; turn them "
                      "one after the "
                      "other, each with its own output",
                      source_of(target), files_.path(*other->second.file),
                      files_.path(*target.file), path_of(target)));
    }
    if (is_written(other->second)) {
      pairs.push_back({source_of(other->second), source_of(target), path_of(target)});
      return;
    }
    other->second = target;
  };
  for_each_result(compare);
  for_each_companion(compare);
  for_each_sidecar(compare);
  if (pairs.empty()) return;
  constexpr std::size_t most_named = 10;
  std::string all =
      fmt::format("{} and {} would both be written to {}", pairs[0].a, pairs[0].b, pairs[0].place);
  for (std::size_t i = 1; i < std::min(pairs.size(), most_named); ++i)
    all += fmt::format(", {} and {} to {}", pairs[i].a, pairs[i].b, pairs[i].place);
  if (pairs.size() > most_named) all += fmt::format(", and {} more", pairs.size() - most_named);
  throw PlanError(fmt::format("{}; {}", all,
                              names_.folder().empty()
                                  ? "name a folder as output"
                                  : "run them one after the other, each with its own output"));
}

void Targets::refuse_files_as_folders() {
  std::set<std::string> suspects;
  for (const auto& [named, folder] : places_.folders())
    for (fs::path at = folder.path; at.has_relative_path(); at = at.parent_path())
      if (taken_.contains(lower_case(at.native()))) suspects.insert(at);
  if (suspects.empty()) return;
  for_each_result([&](const Target& target) {
    if (const std::string place = place_of(target); suspects.contains(place)) {
      throw PlanError(fmt::format("{}: the output would be a file, for {}, and a folder as well",
                                  place, files_.path(*target.file)));
    }
  });
}

/// No output lies in an input folder, where the next run would take it for an input.
void Targets::refuse_inside_inputs() {
  for (const fs::path& input : found_.folders) {
    const fs::path inside = fs::canonical(input);
    if (places_.folder(options_.output / "").path == inside) {
      throw WithHints<PlanError>({Hint::work_in_place},
                                 input.string() + " is both input and output");
    }
    for (const auto& [named, folder] : places_.folders()) {
      if (lies_in(folder.path, inside)) {
        throw PlanError(
            fmt::format("the output {} lies inside the input {}, where the next run "
                        "would read it; choose an output elsewhere",
                        named, input.string()));
      }
    }
  }
}

/// What is at the target's place already. Throws PlanError where it must never be replaced.
std::optional<struct stat> Targets::existing(const Target& target) {
  if (!places_.folder_of(*target.folder).exists) return std::nullopt;
  const std::string path = path_of(target);
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw PlanError(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  }
  if (!is_written(target)) return std::nullopt;
  if (!S_ISREG(status.st_mode)) {
    throw PlanError(path + ": is not a regular file; choose another output");
  }
  if (std::ranges::binary_search(inputs(), FileId{status.st_dev, status.st_ino}) ||
      fs::equivalent(path, source_of(target))) {
    throw WithHints<PlanError>({Hint::work_in_place}, path + ": is an input as well");
  }
  return status;
}

const std::vector<FileId>& Targets::inputs() {
  if (inputs_.empty()) {
    inputs_.reserve(files_.size());
    for (const FoundFile& file : files_) inputs_.push_back(files_.id(file));
    for (const CompanionFiles* among : companions_)
      for (const CompanionFiles::File& companion : *among)
        if (struct stat status; ::stat(among->path(companion).c_str(), &status) == 0)
          inputs_.push_back({status.st_dev, status.st_ino});
    std::ranges::sort(inputs_);
  }
  return inputs_;
}

std::int64_t modified_ns_of(const struct stat& status) {
  return status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
}

std::int64_t modified_ns_of(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    throw PlanError(fmt::format("{}: {}", path.string(), std::generic_category().message(errno)));
  return modified_ns_of(status);
}

/// Refuses, skips or keeps the outputs that exist. A sidecar is treated like its picture, and is
/// not a reason to refuse if existing pictures are skipped.
void Targets::settle_existing() {
  SomeNames refused, halves;
  const bool skips = options_.existing == Existing::skip;
  for (std::size_t number = 0; number < files_.size(); ++number) {
    FoundFile& file = files_[number];
    if (options_.shard && !options_.shard->takes(files_.key(file))) continue;
    names_.variants_of(files_, file).for_each([&](Orientation variant) {
      file.to_do.add(variant);
      const Target result = result_of(file, variant);
      const auto made = existing(result);
      bool is_kept = made && (skips || modified_ns_of(*made) >= file.modified_ns);
      if (made && options_.existing == Existing::refuse) refused.add(path_of(result));
      for_each_companion_of(number, variant, [&](const Target& turned) {
        const auto made_companion = existing(turned);
        if (made_companion && options_.existing == Existing::refuse) refused.add(path_of(turned));
        if (skips && made.has_value() != made_companion.has_value())
          halves.add(path_of(made ? result : turned));
        is_kept = is_kept && made_companion &&
                  (skips || modified_ns_of(*made_companion) >= modified_ns_of(turned.companion));
      });
      if (is_kept && (skips || options_.existing == Existing::update)) {
        file.to_do.remove(variant);
        file.kept.add(variant);
      }
    });
  }
  const bool can_resume = fs::exists(options_.output / journal_name);
  if (halves.count() > 0) {
    const char* const them = halves.count() == 1 ? "it" : "them";
    throw WithHints<PlanError>({{can_resume ? Hint::resume_or_replace : Hint::replace, them}},
                               fmt::format("{} {}, but not all that belongs to {}", halves.text(),
                                           halves.count() == 1 ? "exists" : "exist", them));
  }
  for_each_sidecar([&](const Target& target) {
    if (existing(target) && options_.existing == Existing::refuse) refused.add(path_of(target));
  });
  if (refused.count() > 0) {
    const Hint::Kind run = can_resume ? Hint::resume_or_replace_or_skip : Hint::replace_or_skip;
    throw WithHints<PlanError>(
        {options_.shard ? Hint::resume_shard_or_choose_other_output : run},
        fmt::format("{} {} already", refused.text(), refused.count() == 1 ? "exists" : "exist"));
  }
}

}  // namespace

void place_outputs(const PlanOptions& options, const OutputNames& names,
                   const CompanionFiles::All& companions, FoundFiles& found, RealPlaces& places) {
  if (names.is_standard_output() || options.to_samples) {
    for (FoundFile& file : found.files)
      if (!file.is_companion) file.to_do.add(Orientation::identity);
    return;
  }
  Targets targets(options, names, companions, found);
  targets.refuse_two_in_one_place();
  targets.refuse_files_as_folders();
  targets.refuse_inside_inputs();
  targets.settle_existing();
  if (options.sidecars) targets.refuse_two_in_one_place();
  if (!names.folder().empty()) places.add_folder(names.folder());
  targets.add_places(places);
}

}  // namespace qturn
