#include "tools/qturn/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/check/check_writer.hpp"
#include "src/companions/find_companions.hpp"
#include "src/companions/label_files.hpp"
#include "src/files/journal.hpp"
#include "src/files/json_names.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/errors.hpp"
#include "src/run/pipeline.hpp"
#include "src/sample/companion.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/progress.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sample_run.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

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

void LabelsToCheck::report(LabelFinding finding, JsonLines& json) {
  finding.problem.why += in_words(line_, std::exchange(finding.problem.hints, {}));
  ++counts_[static_cast<std::size_t>(finding.problem.fault)];
  wrong_ += is_wrong(finding.problem.fault) ? 1 : 0;
  to_show_.add(finding);
  json.put([&] {
    const auto picture = finding.picture;
    return json_line(finding, picture ? files_.path(files_[*picture]) : std::string());
  });
  if (json.is_standard_output()) return;
  fmt::print("{}: {}: {}\n", place_of(finding), name(finding.problem.fault),
             printable(finding.problem.why));
}

void LabelsToCheck::finish(JsonLines& json) {
  check_.check_rest([&](const LabelFinding& finding) { report(finding, json); },
                    [&](const std::string& note) {
                      if (!line_.quiet) print_message(printable(note));
                    });
  if (!line_.quiet) print_summary();
}

void LabelsToCheck::print_summary() const {
  const auto pictures = std::ranges::count_if(
      files_, [](const FoundFile& file) { return file.picture && !file.is_companion; });
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

namespace {

/// What is found in pictures, and in their labels.
class Findings {
 public:
  /// `files`: how many of so many `bytes`, or 0 if that is not known.
  Findings(const CommandLine& line, std::size_t files, std::uint64_t bytes, CheckWriter& writer,
           LabelsToCheck* labels, FindingsToShow& to_show)
      : line_(line),
        json_(line),
        progress_(line, files, bytes),
        writer_(writer),
        labels_(labels),
        to_show_(to_show) {}

  static RunOptions options(const CommandLine& line) {
    RunOptions options;
    options.decode_only = true;
    options.quick = line.quick;
    options.raw = line.raw;
    set_resources(line, options);
    return options;
  }

  void add_unreadable(const std::vector<Sentence>& reasons) {
    failed_ += reasons.size();
    for (const Sentence& reason : reasons) say(line_, Tone::error, reason);
  }

  void add(const Outcome& checked) {
    const Outcome outcome = in_words(line_, checked);
    const std::string name = printable(outcome.input.string());
    const bool is_read = outcome.status == Status::done;
    const std::vector<LabelFinding> of_labels = writer_.take_label_findings(outcome.job);
    progress_.add(outcome);
    std::unique_lock<std::mutex> no_bar;
    if (json_.is_standard_output() || !is_read || !outcome.warnings.empty() || !of_labels.empty())
      no_bar = progress_.pause();
    ++(is_read ? checked_ : failed_);
    if (!is_read)
      say(line_, Tone::error, {outcome.input.string() + ": " + checked.message, checked.hints});
    std::vector<std::string> findings;
    if (is_read)
      for (const Sentence& warning : outcome.warnings)
        if (std::ranges::count(findings, warning.text) == 0) findings.push_back(warning.text);
    disagreeing_ += findings.empty() ? 0 : 1;
    json_.put([&] { return json_line_checked(outcome.input, findings, outcome.message); });
    for (const std::string& finding : findings) {
      if (!json_.is_standard_output()) fmt::print("{}: {}\n", name, printable(finding));
    }
    if (!is_read) to_show_.add(outcome.job, outcome.message);
    for (const std::string& finding : findings) to_show_.add(outcome.job, finding);
    for (const LabelFinding& finding : of_labels) labels_->report(finding, json_);
  }

  bool has_pictures() const { return checked_ + failed_ > 0; }

  /// Prints the summary.
  void end_pictures() {
    progress_.end();
    if (line_.quiet) return;
    print_message(fmt::format(
        "{} {} checked{}, {} of them with findings{}", checked_,
        checked_ == 1 ? "picture" : "pictures", line_.quick ? " without pixels" : "", disagreeing_,
        failed_ > 0 ? fmt::format(", {} damaged or not readable", failed_) : ""));
  }
  void end_labels() { labels_->finish(json_); }

  /// Returns the exit status.
  int end(bool whole) {
    whole = json_.finish() && whole;
    const std::uint64_t wrong = labels_ ? labels_->wrong() : 0;
    return exit_code_of_run(whole && disagreeing_ + failed_ + wrong == 0);
  }

 private:
  const CommandLine& line_;
  JsonLines json_;
  Progress progress_;
  CheckWriter& writer_;
  LabelsToCheck* const labels_;
  FindingsToShow& to_show_;
  std::uint64_t disagreeing_ = 0, failed_ = 0, checked_ = 0;
};

}  // namespace

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
  std::uint64_t bytes = 0;
  for (const FoundFile& file : found.files) bytes += file.bytes;
  CheckWriter writer(line.run.limits, labels ? &labels->check() : nullptr);
  Findings findings(line, found.files.size(), bytes, writer, labels ? &*labels : nullptr, to_show);
  findings.add_unreadable(found.unreadable);
  const CheckJobs jobs{found.files};
  const FileSource files;
  ListReader reader(jobs, files);
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunOptions options = Findings::options(line);
  const RunEnd end = Engine(options, stop).run(reader, writer, [&](const Outcome& checked) {
    findings.add(checked);
  });
  bool whole = is_whole(line, end);
  findings.end_pictures();
  if (labels && !stop) findings.end_labels();
  if (!line.html_file.empty() && !stop)
    whole =
        write_check_page(line, found.files, labels ? &labels->check() : nullptr, to_show) && whole;
  return findings.end(whole);
}

int check_tars(const CommandLine& line, PlanOptions inputs) {
  if (line.check_labels || !line.against.empty() || !line.html_file.empty())
    throw PlanError(
        "--labels, --against and --html compare files of folders, not of tars; unpack them first");
  const ReportPlace json = ReportPlace::json(line);
  for (const std::string& tar : line.inputs) json.refuse(tar);
  inputs.sidecars = true;
  inputs.others = Others::leave;
  inputs.labels.take = TakeLabels::none;
  FindingsToShow to_show;
  CheckWriter writer(line.run.limits, nullptr, false);
  Findings findings(line, 0, 0, writer, nullptr, to_show);
  Plan found;
  SampleRun tars(line, std::move(inputs), Findings::options(line), found,
                 [&](const Outcome& checked) { findings.add(checked); });
  bool whole = true;
  for (const std::string& tar : line.inputs) {
    whole = whole && tars.turn({.tar = tar, .output = {}}, {}, writer);
    tars.end_output();
  }
  if (whole && !findings.has_pictures() && tars.other_failures() == 0)
    throw PlanError("no pictures to check");
  findings.end_pictures();
  return findings.end(whole && tars.other_failures() == 0);
}

}  // namespace qturn
