// qturn check: decodes pictures to find damage, and compares what their metadata and labels say;
// --against compares turned pictures with their originals. Findings go to standard output.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/check/check_writer.hpp"
#include "src/check/label_check.hpp"
#include "src/companions/find_companions.hpp"
#include "src/companions/label_files.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/files/journal.hpp"
#include "src/files/json_names.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/errors.hpp"
#include "src/plan/jobs.hpp"
#include "src/sample/companion.hpp"
#include "src/sources/listed_tar.hpp"
#include "tools/qturn/commands.hpp"
#include "tools/qturn/findings.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_pages.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sample_run.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// The pictures of the inputs. A named file that is not a picture is among the unreadable. Throws
/// PlanError if a picture lies at one of the places.
FoundFiles pictures_to_check(const PlanOptions& inputs, std::span<const ReportPlace> places) {
  FoundFiles found = find_files(inputs);
  found.files.erase_if([&](const FoundFile& file) {
    if (!file.picture && file.is_named) {
      found.unreadable.push_back(not_a_picture(found.files.path(file)));
    }
    return !file.picture;
  });
  for (const FoundFile& file : found.files)
    for (const ReportPlace& place : places) place.refuse(found.files.path(file));
  return found;
}

RunOptions check_options(const CommandLine& line) {
  RunOptions options;
  options.decode_only = true;
  options.quick = line.quick;
  options.raw = line.raw;
  options.verify = !line.against.empty();
  if (options.verify) options.jpeg.edges = JpegEdges::trim;  // what is trimmed may be missing
  set_resources(line, options);
  return options;
}

/// The journals in the inputs, and above them.
std::vector<fs::path> journals_of(const PlanOptions& inputs, const FoundFiles& found) {
  std::set<fs::path> journals;
  for (const fs::path& journal : found.journals) journals.insert(fs::canonical(journal));
  for (const fs::path& input : inputs.inputs)
    for (fs::path at = fs::canonical(input); at.has_relative_path(); at = at.parent_path())
      if (std::error_code none; fs::exists(at / journal_name, none))
        journals.insert(at / journal_name);
  std::vector<fs::path> named;
  for (const fs::path& journal : journals) named.push_back(from_here(journal));
  return named;
}

LabelSources sources_of(const CommandLine& line, const PlanOptions& inputs, FoundFiles& found,
                        const CompanionFiles& labels, const CompanionFiles& masks) {
  LabelSources sources{.files = found.files, .labels = labels, .masks = masks};
  sources.journals = journals_of(inputs, found);
  sources.shared = shared_label_files(inputs, found);
  sources.shared_are_named = line.labels.take == TakeLabels::one_file;
  sources.listings = &found.listings;
  sources.tar = found.tar;
  if (labels.empty() && masks.empty() && sources.shared.empty())
    throw PlanError("found no labels to check; say where they are, as in --labels yolo:DIR");
  return sources;
}

/// "labels/a.txt:3:1"
std::string place_of(const LabelFinding& finding) {
  std::string name = printable(finding.file.string());
  if (const auto& place = finding.problem.place)
    name += fmt::format(":{}:{}", place->line, place->column);
  return name;
}

/// `picture`: empty if there is none.
std::string json_line(const LabelFinding& finding, const std::string& picture) {
  const LabelProblem& problem = finding.problem;
  Json json;
  if (!picture.empty()) put_name(json, "input", picture);
  if (problem.fault != LabelFault::no_label) put_name(json, "label", finding.file.string());
  if (problem.place) {
    json["line"] = problem.place->line;
    json["column"] = problem.place->column;
  }
  json["fault"] = name(problem.fault);
  json["wrong"] = is_wrong(problem.fault);
  json["message"] = problem.why;
  return dump(json);
}

/// The labels of --labels: where they are, and how findings are printed.
class LabelsToCheck {
 public:
  /// Finds the labels of the files as augment does, and marks masks among them. `to_show` receives
  /// the findings. Throws PlanError if there are no labels, or if they cannot be found.
  LabelsToCheck(const CommandLine& line, const PlanOptions& inputs, FoundFiles& found,
                FindingsToShow& to_show);

  /// Throws PlanError if --json or --html would write in the place of a label.
  void refuse(const ReportPlace& place) const;

  LabelCheck& check() { return check_; }
  void report(LabelFinding finding, Findings& findings);
  /// When all pictures are checked: reports the rest, and prints the summary.
  void finish(Findings& findings);
  /// How many findings say that something is wrong.
  std::uint64_t wrong() const { return wrong_; }

 private:
  void print_summary() const;

  const CommandLine& line_;
  const FileList& files_;
  const CompanionFiles masks_, labels_;
  LabelCheck check_;
  std::array<std::uint64_t, label_fault_count> counts_ = {};
  std::uint64_t wrong_ = 0;
  FindingsToShow& to_show_;
};

LabelsToCheck::LabelsToCheck(const CommandLine& line, const PlanOptions& inputs, FoundFiles& found,
                             FindingsToShow& to_show)
    : line_(line),
      files_(found.files),
      masks_(find_mask_files(inputs, found)),
      labels_(find_label_files(inputs, found, nullptr)),
      check_(sources_of(line, inputs, found, labels_, masks_), line.run.labels_drawn_on,
             line.run.limits),
      to_show_(to_show) {}

void LabelsToCheck::refuse(const ReportPlace& place) const {
  for (const CompanionFiles* among : {&labels_, &masks_})
    for (const CompanionFiles::File& label : *among) place.refuse(among->path(label));
  for (const auto& file : check_.sources().shared) place.refuse(file.first);
}

void LabelsToCheck::report(LabelFinding finding, Findings& findings) {
  finding.problem.why += in_words(line_, std::exchange(finding.problem.hints, {}));
  ++counts_[static_cast<std::size_t>(finding.problem.fault)];
  wrong_ += is_wrong(finding.problem.fault) ? 1 : 0;
  to_show_.add(finding);
  findings.add({fmt::format("{}: {}: {}", place_of(finding), name(finding.problem.fault),
                            printable(finding.problem.why))},
               [&] {
                 const auto picture = finding.picture;
                 return json_line(finding, picture ? files_.path(files_[*picture]) : "");
               });
}

void LabelsToCheck::finish(Findings& findings) {
  check_.check_rest([&](const LabelFinding& finding) { report(finding, findings); },
                    [&](const std::string& note) {
                      if (!line_.quiet) print_message(printable(note));
                    });
  if (!line_.quiet) print_summary();
}

void LabelsToCheck::print_summary() const {
  const auto pictures = std::ranges::count_if(files_, &FoundFile::is_own_picture);
  const bool any = std::ranges::any_of(counts_, [](std::uint64_t count) { return count > 0; });
  std::string text =
      fmt::format("labels of {} of {} checked{}", check_.labelled(),
                  counted(static_cast<std::uint64_t>(pictures), "picture", "pictures"),
                  any ? ":" : ", nothing found");
  for (std::size_t fault = 0; fault < counts_.size(); ++fault) {
    if (counts_[fault] == 0) continue;
    text += fmt::format("\n  {:<18}{:>8}", name(static_cast<LabelFault>(fault)), counts_[fault]);
  }
  print_message(text);
  const auto& fits = check_.frames();
  const auto of = [&](FittingFrame frame) { return fits[static_cast<std::size_t>(frame)]; };
  if (std::ranges::all_of(fits, [](std::size_t count) { return count == 0; })) return;
  print_message(fmt::format(
      "pictures with an orientation tag, by what their labels fit: {} the stored pixels, {} the "
      "upright picture, {} both, {} neither",
      of(FittingFrame::stored), of(FittingFrame::upright), of(FittingFrame::unknown),
      of(FittingFrame::neither)));
}

/// Pictures that are read, and written nowhere.
struct CheckJobs {
  const FileList& files;

  std::size_t size() const { return files.size(); }
  Job operator[](std::size_t index) const {
    return {.number = index,
            .input = files.path(files[index]),
            .key = files.key(files[index]),
            .file_bytes = files[index].bytes,
            .outputs = {{}}};
  }
};

/// What is found in pictures, and in their labels.
class PictureFindings {
 public:
  /// `files`: none if they are not known. `labels`: null if they are not checked.
  PictureFindings(const CommandLine& line, const FileList& files, CheckWriter& writer,
                  LabelsToCheck* labels, FindingsToShow& to_show)
      : line_(line), findings_(line, files), writer_(writer), labels_(labels), to_show_(to_show) {}

  void add(const std::vector<Sentence>& unreadable) { findings_.add(unreadable); }

  void add(const Outcome& checked) {
    const Outcome outcome = in_words(line_, checked);
    const bool is_read = outcome.status == Status::done;
    checked_ += is_read ? 1 : 0;
    std::vector<std::string> found, lines;
    if (is_read)
      for (const Sentence& warning : outcome.warnings)
        if (std::ranges::count(found, warning.text) == 0) found.push_back(warning.text);
    disagreeing_ += found.empty() ? 0 : 1;
    for (const std::string& each : found)
      lines.push_back(printable(outcome.input.string()) + ": " + printable(each));
    findings_.add(checked, !is_read, lines,
                  [&] { return json_line_checked(outcome.input, found, outcome.message); });
    if (!is_read) to_show_.add(outcome.job, outcome.message);
    for (const std::string& each : found) to_show_.add(outcome.job, each);
    for (const LabelFinding& each : writer_.take_label_findings(outcome.job))
      labels_->report(each, findings_);
  }

  bool has_pictures() const { return checked_ + findings_.failed() > 0; }

  void summarize() {
    const std::uint64_t failed = findings_.failed();
    findings_.summarize(fmt::format(
        "{} {} checked{}, {} of them with findings{}", checked_,
        checked_ == 1 ? "picture" : "pictures", line_.quick ? " without pixels" : "", disagreeing_,
        failed > 0 ? fmt::format(", {} damaged or not readable", failed) : ""));
  }
  void end_labels() { labels_->finish(findings_); }

  /// Returns the exit status.
  int end(bool whole) {
    return findings_.end(whole && disagreeing_ == 0 && (!labels_ || labels_->wrong() == 0));
  }

 private:
  const CommandLine& line_;
  Findings findings_;
  CheckWriter& writer_;
  LabelsToCheck* const labels_;
  FindingsToShow& to_show_;
  std::uint64_t disagreeing_ = 0, checked_ = 0;
};

/// Pictures, and the labels and masks that are found with them.
struct Compared {
  Compared(const PlanOptions& options, const ReportPlace& json)
      : found(pictures_to_check(options, std::span(&json, 1))),
        masks(find_mask_files(options, found)),
        labels(find_label_files(options, found, nullptr)) {
    for (const CompanionFiles* among : {&labels, &masks})
      for (const CompanionFiles::File& label : *among) json.refuse(among->path(label));
  }

  FoundFiles found;
  CompanionFiles masks, labels;
};

/// The originals as jobs: each has its turned picture as the result.
struct ComparedJobs {
  const Compared &originals, &results;
  CheckJobs jobs{originals.found.files};
  Counterparts counterparts{results.found.files};

  std::size_t size() const { return jobs.size(); }
  Job operator[](std::size_t index) const {
    Job job = jobs[index];
    JobOutput& output = job.outputs.front();
    const auto counterpart = counterparts.of(job.key);
    if (!counterpart) {
      job.problem = {"it has no counterpart of the same name"};
      return job;
    }
    output.path = results.found.files.path(results.found.files[*counterpart]);
    const CompanionFiles::File* label = originals.labels.of(index);
    const CompanionFiles::File* other = results.labels.of(*counterpart);
    if (label)
      output.companions.push_back({CompanionKind::label, originals.labels.path(*label),
                                   other ? results.labels.path(*other) : std::filesystem::path(),
                                   originals.labels.place_of(*label).rule});
    if (!label != !other)
      job.problem = {
          (label ? originals.labels.path(*label) : results.labels.path(*other)).string() +
          " has no counterpart"};
    const auto masks = originals.masks.all_of(index), others = results.masks.all_of(*counterpart);
    for (std::size_t i = 0; i < std::min(masks.size(), others.size()); ++i)
      output.companions.push_back(
          {CompanionKind::mask, originals.masks.path(masks[i]), results.masks.path(others[i])});
    if (masks.size() != others.size())
      job.problem = {fmt::format("it has {}, its counterpart has {}",
                                 counted(masks.size(), "mask", "masks"), others.size())};
    return job;
  }
};

/// A sentence for each file of `turned` that has no original.
std::vector<Sentence> without_original(const FileList& turned, const FileList& originals) {
  const Counterparts known(originals);
  std::vector<Sentence> sentences;
  for (const FoundFile& file : turned)
    if (!known.of(turned.key(file)))
      sentences.emplace_back(turned.path(file) + ": it has no original of the same name");
  return sentences;
}

int check_pictures(const CommandLine& line, const PlanOptions& inputs) {
  const ReportPlace places[] = {ReportPlace::json(line), ReportPlace::html(line)};
  FoundFiles found = pictures_to_check(inputs, places);
  if (found.files.empty()) throw PlanError("no pictures to check");
  std::optional<LabelsToCheck> labels;
  FindingsToShow to_show;
  if (line.check_labels) labels.emplace(line, inputs, found, to_show);
  if (labels)
    for (const ReportPlace& place : places) labels->refuse(place);
  places[1].refuse_all_but_pages();
  CheckWriter writer(line.run.limits, labels ? &labels->check() : nullptr);
  PictureFindings findings(line, found.files, writer, labels ? &*labels : nullptr, to_show);
  findings.add(found.unreadable);
  const CheckJobs jobs{found.files};
  const FileSource files;
  ListReader reader(jobs, files);
  Run run(line, check_options(line));
  bool whole = run.turn(reader, writer, [&](const Outcome& checked) { findings.add(checked); });
  findings.summarize();
  if (labels && !run.stop()) findings.end_labels();
  if (!line.html_file.empty() && !run.stop())
    whole =
        write_check_page(line, found.files, labels ? &labels->check() : nullptr, to_show) && whole;
  return findings.end(whole);
}

/// The files of the tar whose labels are compared.
FoundFiles labelled_tar(const CommandLine& line, const PlanOptions& inputs) {
  if (line.inputs.size() > 1)
    throw PlanError("--labels compares the files of one tar; name the tars in separate runs");
  return find_in_tar(inputs, line.inputs.front(), bytes_of_reader(check_options(line)),
                     watch_stop_signals());
}

/// Pictures in tars, the XMP files of their samples, and with --labels what belongs to them.
int check_tars(const CommandLine& line, PlanOptions inputs) {
  if (!line.against.empty() || !line.html_file.empty())
    throw PlanError(
        "--against and --html compare files of folders, not of tars; unpack them first");
  const ReportPlace json = ReportPlace::json(line);
  for (const std::string& tar : line.inputs) json.refuse(tar);
  FindingsToShow to_show;
  FoundFiles listed;
  std::optional<LabelsToCheck> labels;
  if (line.check_labels) {
    if (!is_listed(inputs, line.inputs.front()))
      throw PlanError(
          line.inputs.front() +
          ": --labels needs a tar that can be read twice: a file that is not compressed");
    inputs.labels = line.labels;
    inputs.masks = line.mask_options();
    listed = labelled_tar(line, inputs);
    labels.emplace(line, inputs, listed, to_show);
  }
  inputs.sidecars = true;
  inputs.others = Others::leave;
  inputs.labels = {};
  inputs.labels.take = TakeLabels::none;
  inputs.masks = {};
  CheckWriter writer(line.run.limits, labels ? &labels->check() : nullptr, false);
  Plan found;
  PictureFindings findings(line, found.jobs.files(), writer, labels ? &*labels : nullptr, to_show);
  SampleRun tars(line, std::move(inputs), check_options(line), found,
                 [&](const Outcome& checked) { findings.add(checked); });
  bool whole = true;
  for (const std::string& tar : line.inputs) {
    whole = whole && tars.turn({.tar = tar, .output = {}}, {}, writer);
    tars.end_output();
  }
  if (whole && !findings.has_pictures() && tars.other_failures() == 0)
    throw PlanError("no pictures to check");
  findings.summarize();
  if (labels && whole) findings.end_labels();
  return findings.end(whole && tars.other_failures() == 0);
}

/// Compares each picture of `turned` with the picture of its name in `line.against`.
int check_against(const CommandLine& line, PlanOptions turned) {
  if (!line.labels.folder.empty() || line.labels.take == TakeLabels::one_file ||
      !line.mask_options().folder.empty()) {
    throw PlanError("--against finds the labels and masks of both folders by itself");
  }
  const ReportPlace json_place = ReportPlace::json(line);
  turned.labels = line.labels;
  turned.masks = line.mask_options();
  turned.labels.swap_pairs.clear();  // classes are swapped by the originals' rules
  Compared results(turned, json_place);
  turned.labels = line.labels;
  turned.inputs = {line.against};
  Compared originals(turned, json_place);
  if (originals.found.files.empty()) throw PlanError("no pictures in " + printable(line.against));
  Findings findings(line, originals.found.files);
  for (const Compared* compared : {&originals, &results}) findings.add(compared->found.unreadable);
  if (!line.quiet)
    for (const auto& [file, format] : shared_label_files(turned, originals.found))
      print_message(printable(file.string()) + ": labels of many pictures are not compared",
                    Tone::warning);
  findings.add(without_original(results.found.files, originals.found.files));
  std::uint64_t differing = 0, proved = 0;
  const AgainstWriter writer;
  const ComparedJobs jobs{originals, results};
  const FileSource files;
  ListReader reader(jobs, files);
  Run run(line, check_options(line));
  const bool whole = run.turn(reader, writer, [&](const Outcome& of_run) {
    const Outcome outcome = in_words(line, of_run);
    const bool agrees = outcome.status == Status::done;
    proved += agrees ? 1 : 0;
    differing += outcome.status == Status::rejected ? 1 : 0;
    std::vector<std::string> words;
    if (agrees && !line.quiet)
      words = {fmt::format("{}: {}", printable(outcome.input.string()), name(outcome.applied))};
    findings.add(of_run, !agrees, words, [&] { return json_line_compared(outcome); });
  });
  const std::uint64_t failed = findings.failed() - differing;
  findings.summarize(fmt::format(
      "{} of {} hold{} what {} original{} say{}{}{}", proved,
      counted(originals.found.files.size(), "picture", "pictures"), proved == 1 ? "s" : "",
      proved == 1 ? "its" : "their", proved == 1 ? "" : "s", proved == 1 ? "s" : "",
      differing > 0 ? fmt::format(", {} differ", differing) : "",
      failed > 0 ? fmt::format(", {} damaged, missing or not readable", failed) : ""));
  return findings.end(whole);
}

}  // namespace

int check(CommandLine& line) {
  PlanOptions inputs = input_options(line);
  take_listed_tars(line, inputs);
  if (are_tars(line, {})) return check_tars(line, std::move(inputs));
  if (!line.against.empty()) return check_against(line, std::move(inputs));
  inputs.labels = line.check_labels ? line.labels : LabelOptions();
  inputs.masks = line.check_labels ? line.mask_options() : MaskOptions();
  return check_pictures(line, inputs);
}

}  // namespace qturn
