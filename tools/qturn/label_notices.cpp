#include "tools/qturn/label_notices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/companions/paired_folders.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/variants.hpp"
#include "src/labels/geometry.hpp"
#include "src/sample/sidecars.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {
namespace {

void say_shared_labels(const SharedLabels::File& file, const std::string& pictures, bool is_named,
                       bool in_place) {
  std::uint64_t listed = 0, strays = 0, problems = 0;
  for (std::size_t image = 0; image < file.content->size(); ++image) {
    const LabelledImages::Image& each = (*file.content)[image];
    listed += each.is_listed ? 1 : 0;
    strays += each.is_listed ? 0 : each.annotations;
    const bool can_be_turned = file.content->problem(image).empty() &&
                               file.content->mirror_problem(image).empty() &&
                               file.content->percent_problem(image).empty();
    problems += file.pictures[image] && !can_be_turned ? 1 : 0;
  }
  const std::string name = printable(file.input.string());
  std::set<std::size_t> labelled;  // an image may be listed twice
  for (const auto& picture : file.pictures)
    if (picture) labelled.insert(*picture);
  if (file.found == 0) {
    return print_message(
        fmt::format("{}: none of its images ({}) is a picture of this run", name, listed));
  }
  std::string text = fmt::format("{} labels of {} of {} turn with them: {}", file.format->name,
                                 labelled.size(), pictures, name);
  if (const std::string note = file.content->note(); !note.empty()) text += "; " + printable(note);
  if (!is_named && file.content->may_be_corners())
    text += "; this is assumed, two corners would fit, too: --labels huggingface:voc reads those";
  if (listed > file.found)
    text += fmt::format("; images not found: {} of {}", listed - file.found, listed);
  if (strays > 0 && !in_place)
    text += fmt::format("; annotations without an image, left out: {}", strays);
  if (problems > 0)
    text += fmt::format("; images whose labels cannot be turned in all variants: {}", problems);
  print_message(text);
}

void say_broken(const SharedLabels::Broken& file, const std::string& pictures) {
  print_message(
      fmt::format("{}; pictures that it may be about, which are not written: {} of {}",
                  printable(file.problem), std::ranges::count(file.may_label, true), pictures),
      Tone::error);
}

void say_copied_sidecars(const Plan& plan) {
  std::map<std::string, std::uint64_t> by_suffix;
  for (const CompanionFiles::File& sidecar : plan.jobs.sidecars())
    if (!is_turned_sidecar(sidecar.name)) ++by_suffix[lower_suffix(sidecar.name)];
  std::string text;
  for (const auto& [suffix, count] : by_suffix)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, printable(suffix));
  if (!text.empty())
    print_message("other files with the name of a picture, copied with each of its variants: " +
                  text);
}

/// The folder ImageSets of the output.
std::filesystem::path folder_of_sets(const DataSets::File& list) {
  std::filesystem::path folder = list.output;
  for ([[maybe_unused]] const auto& part : list.input.lexically_relative(list.image_sets))
    folder = folder.parent_path();
  return folder;
}

std::string ids_in_words(const DataSets::File& table) {
  if (table.columns_of_ids.empty()) return "";
  return printable(
      fmt::format("; ids with the variant added: {}", fmt::join(table.columns_of_ids, ", ")));
}

/// Throws LabelsError if files about pictures would be left untrue, and --others does not permit
/// that. Prints the first ten; the error has the last of them.
void refuse_leftovers(const CommandLine& line, const Plan& plan) {
  const std::vector<Leftovers::File>& first = plan.leftovers.first;
  if (line.others != Others::stop || first.empty()) return;
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    print_message(printable(fmt::format("{}: {}", first[i].path.string(), first[i].why)),
                  Tone::error);
  // The pictures of such a file may lie there.
  throw LabelsError(fmt::format("{}: {}{}{}{}", first.back().path.string(), first.back().why,
                                plan.leftovers.has_more ? "; there are more such files" : "",
                                cannot_look_into(plan.unreadable),
                                answers_for_others(line, first.back().path)));
}

/// For --random without --group. Throws PlanError if pictures whose names say that they belong
/// together would get different variants: two folders with the same names, or a.png and a_seg.png.
void refuse_pairs(const CommandLine& line, const Plan& plan) {
  if (line.random == 0 || line.group.is_given()) return;
  const FileList& files = plan.jobs.files();
  SomeNames pairs;
  const auto groups = paired_folders(files);
  for (const std::vector<std::string>& folders : groups)
    pairs.add(printable(fmt::format("{}", fmt::join(folders, " and "))));
  if (!groups.empty()) {
    throw PlanError(fmt::format(
        "these folders hold pictures with the same names, which would get different variants: "
        "{}{}",
        pairs.text(), answers_for_pairs(group_of_folders(groups.front()))));
  }
  PairedNames names([&](std::size_t number) {
    return size_of_picture(files.path(files[number]), plan.tar.get());
  });
  constexpr std::uint64_t most = 10;
  for (std::size_t number = 0; number < files.size() && pairs.count() < most; ++number) {
    if (!files[number].is_own_picture()) continue;
    if (const auto other = names.add(files.key(files[number]), number))
      pairs.add(printable(files.key(files[*other]) + " and " + files[number].name));
  }
  if (pairs.count() == 0) return;
  throw PlanError(
      fmt::format("these pictures may belong together, and would get different variants: {}{}",
                  pairs.text(), answers_for_pairs(names.group())));
}

/// For augment without --labels-drawn-on. Throws PlanError if pictures with labels or masks have an
/// orientation tag, because it is not known what their labels were drawn on. A tag that the first
/// bytes of a file do not tell is found when its picture is turned, and the picture fails then.
void refuse_unknown_frames(const CommandLine& line, const Plan& plan) {
  if (line.command != CommandLine::Command::augment ||
      line.run.labels_drawn_on != LabelsDrawnOn::unknown)
    return;
  const JobList& jobs = plan.jobs;
  SomeNames tagged;
  std::uint64_t labelled = 0;
  for (std::size_t number = 0; number < jobs.files().size(); ++number) {
    const FoundFile& file = jobs.files()[number];
    const bool has_any = jobs.labels().of(number) || !jobs.masks().all_of(number).empty() ||
                         !jobs.shared_labels().of(number).empty();
    if (file.to_do.empty() || !file.picture || !has_any) continue;
    ++labelled;
    const std::string path = jobs.files().path(file);
    if (is_tagged(path, plan.tar.get())) tagged.add(printable(path));
  }
  if (tagged.count() == 0) return;
  throw PlanError(
      fmt::format("an orientation tag turns {} of {} that have labels or masks: {}; say with "
                  "--labels-drawn-on stored or upright what the labels were drawn on",
                  tagged.count(), counted(labelled, "picture", "pictures"), tagged.text()));
}

/// Throws PlanError if --strict is given and a file would be copied with the variants of its
/// picture.
void refuse_copied_sidecars(const CommandLine& line, const Plan& plan) {
  if (!line.run.strict) return;
  const CompanionFiles& sidecars = plan.jobs.sidecars();
  const auto copied = std::ranges::find_if(sidecars, [](const CompanionFiles::File& sidecar) {
    return !is_turned_sidecar(sidecar.name);
  });
  if (copied == sidecars.end()) return;
  const std::string path = sidecars.path(*copied);
  throw PlanError(fmt::format(
      "{} would be copied as it is with each variant of its picture (--strict); --exclude '*{}' "
      "leaves such files out",
      printable(path), printable(std::filesystem::path(path).extension().string())));
}

}  // namespace

void refuse_unfit_companions(const CommandLine& line, const Plan& plan) {
  refuse_leftovers(line, plan);
  refuse_pairs(line, plan);
  refuse_unknown_frames(line, plan);
  refuse_copied_sidecars(line, plan);
}

std::string answers_for_others(const CommandLine& line, const std::filesystem::path& file) {
  if (line.resume) return "";
  return fmt::format(
      "; --others leave turns the pictures without such files{}, --exclude '{}' leaves them out",
      line.in_place ? "" : ", --others copy copies them as they are", pattern_of(file));
}

void say_labels(const CommandLine& line, const Plan& plan) {
  const CompanionFiles& labels = plan.jobs.labels();
  if (line.quiet) return;
  const auto count = std::ranges::count_if(plan.jobs.files(), &FoundFile::is_own_picture);
  const std::string pictures = counted(static_cast<std::uint64_t>(count), "picture", "pictures");
  for (const LabelFormat& format : label_formats) {
    const auto is_of = [&](const CompanionFiles::File& label) {
      return labels.place_of(label).rule->format == &format;
    };
    const auto first = std::ranges::find_if(labels, is_of);
    if (first == labels.end()) continue;
    const std::optional<Keypoints>& keypoints = labels.place_of(*first).rule->keypoints;
    std::string kind;
    if (format.option == "yolo") {
      kind = "; no YAML file says whether they have keypoints";
      if (keypoints && keypoints->count == 0) kind = "; without keypoints";
      if (keypoints && keypoints->count > 0)
        kind = fmt::format("; {} keypoints of {} values each", keypoints->count, keypoints->values);
    }
    std::set<std::size_t> labelled;  // a picture may have two
    for (const CompanionFiles::File& label : labels)
      if (is_of(label)) labelled.insert(label.picture);
    print_message(fmt::format("{} labels of {} of {} turn with them{}", format.name,
                              labelled.size(), pictures, kind));
  }
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files())
    say_shared_labels(file, pictures, line.labels.take == TakeLabels::one_file, line.in_place);
  for (const SharedLabels::Broken& file : plan.jobs.shared_labels().broken())
    say_broken(file, pictures);
  std::map<std::filesystem::path, std::uint64_t> image_sets;
  for (const DataSets::File& file : plan.jobs.data_sets().files()) {
    if (!file.image_sets.empty())
      ++image_sets[folder_of_sets(file)];
    else
      print_message("also written for the turned pictures: " + printable(file.output.string()) +
                    ids_in_words(file));
  }
  for (const auto& [folder, lists] : image_sets)
    print_message(fmt::format("also written for the turned pictures: {} in {}",
                              counted(lists, "list", "lists"), printable(folder.string())));
  for (const std::string& problem : plan.jobs.data_sets().problems())
    print_message(printable(problem), Tone::warning);
  const auto say = [&](const char* what, const std::set<std::size_t>& with) {
    if (!with.empty())
      print_message(fmt::format("{} of {} of {} turn with them", what, with.size(), pictures));
  };
  std::set<std::size_t> with_masks, with_xmp;
  for (const CompanionFiles::File& mask : plan.jobs.masks()) with_masks.insert(mask.picture);
  for (const CompanionFiles::File& sidecar : plan.jobs.sidecars())
    if (is_xmp(sidecar.name)) with_xmp.insert(sidecar.picture);
  for (const std::filesystem::path& cache : labels.caches())
    print_message(
        fmt::format("{} may hold labels as they were before; remove it, so that the program that "
                    "keeps it reads them again",
                    printable(cache.string())),
        Tone::warning);
  if (const std::uint64_t files = plan.leftovers.with_crops; files > 0)
    print_message(counted(files, "file of a program that develops pictures may keep crops",
                          "files of programs that develop pictures may keep crops") +
                      ", which are those of the pictures before",
                  Tone::warning);
  say("masks", with_masks);
  say("XMP sidecars", with_xmp);
  say_copied_sidecars(plan);
}

/// Names the classes that the plan knows. The report names classes in labels of single pictures.
void warn_of_sides(const CommandLine& line, const Plan& plan) {
  const bool any_mirror =
      line.command != CommandLine::Command::augment
          ? mirrors(line.orientation)
          : line.random > 0 || std::ranges::any_of(parse_variants(line.variants), mirrors);
  if (line.quiet || !any_mirror) return;
  std::set<std::string> sides;
  for (const CompanionFiles::Place& place : plan.jobs.labels().places())
    if (place.holds_any) sides.insert(place.sides.begin(), place.sides.end());
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files())
    if (file.found > 0) sides.insert(file.content->sides().begin(), file.content->sides().end());
  warn_of_sides(sides);
}

std::string answers_for_pairs(const std::string& group) {
  return fmt::format(
      "; --group '{}' draws once for all that belong together, --group path for each by itself",
      printable(group));
}

}  // namespace qturn
