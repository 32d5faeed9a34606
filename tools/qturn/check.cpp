#include "tools/qturn/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "src/check/check_writer.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/check_labels.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/progress.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/resources.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {

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
  JsonLines json(line);

  std::uint64_t disagreeing = 0, failed = found.unreadable.size(), checked = 0;
  for (const Sentence& reason : found.unreadable) say(line, Tone::error, reason);
  RunOptions options;
  options.decode_only = true;
  options.raw = line.raw;
  set_resources(line, options);
  std::uint64_t bytes = 0;
  for (const FoundFile& file : found.files) bytes += file.bytes;
  Progress progress(line, found.files.size(), bytes);
  CheckWriter writer(line.limits, labels ? &labels->check() : nullptr);
  const auto report = [&](const Outcome& checked_one) {
    const Outcome outcome = in_words(line, checked_one);
    const std::string name = printable(outcome.input.string());
    const bool is_read = outcome.status == Status::done;
    const std::vector<LabelFinding> of_labels = writer.take_label_findings(outcome.job);
    progress.add(outcome);
    std::unique_lock<std::mutex> no_bar;
    if (json.is_standard_output() || !is_read || !outcome.warnings.empty() || !of_labels.empty())
      no_bar = progress.pause();
    ++(is_read ? checked : failed);
    if (!is_read)
      say(line, Tone::error,
          {outcome.input.string() + ": " + checked_one.message, checked_one.hints});
    std::vector<std::string> findings;
    if (is_read)
      for (const Sentence& warning : outcome.warnings)
        if (std::ranges::count(findings, warning.text) == 0) findings.push_back(warning.text);
    disagreeing += findings.empty() ? 0 : 1;
    json.put([&] { return json_line_checked(outcome.input, findings, outcome.message); });
    for (const std::string& finding : findings) {
      if (!json.is_standard_output()) fmt::print("{}: {}\n", name, printable(finding));
    }
    if (!is_read) to_show.add(outcome.job, outcome.message);
    for (const std::string& finding : findings) to_show.add(outcome.job, finding);
    for (const LabelFinding& finding : of_labels) labels->report(finding, json);
  };
  const CheckJobs jobs{found.files, line.quick};
  const FileSource files;
  ListReader reader(jobs, files);
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunEnd end = Engine(options, stop).run(reader, writer, report);
  progress.end();
  bool whole = is_whole(line, end);
  if (!line.quiet) {
    print_message(fmt::format(
        "{} {} checked{}, {} of them with findings{}", checked,
        checked == 1 ? "picture" : "pictures", line.quick ? " without pixels" : "", disagreeing,
        failed > 0 ? fmt::format(", {} damaged or not readable", failed) : ""));
  }
  if (labels && !stop) labels->finish(json);
  if (!line.html_file.empty() && !stop)
    whole =
        write_check_page(line, found.files, labels ? &labels->check() : nullptr, to_show) && whole;
  whole = json.finish() && whole;
  const std::uint64_t wrong = labels ? labels->wrong() : 0;
  return exit_code_of_run(whole && disagreeing + failed + wrong == 0);
}

}  // namespace qturn
