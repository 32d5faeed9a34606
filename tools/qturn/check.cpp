#include "tools/qturn/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/check/check_writer.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/check_labels.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
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
  if (line.check_labels) labels.emplace(line, inputs, found);
  if (labels)
    for (const ReportPlace& place : places) labels->refuse(place);
  places[1].refuse_all_but_pages();
  JsonLines json(line);

  std::uint64_t disagreeing = 0, failed = found.unreadable.size(), checked = 0;
  for (const Sentence& reason : found.unreadable) print_message(printable(in_words(line, reason)));
  RunOptions options;
  options.decode_only = true;
  options.raw = line.raw;
  set_resources(line, options);
  CheckWriter writer(line.limits, labels ? &labels->check() : nullptr);
  const auto report = [&](const Outcome& checked_one) {
    const Outcome outcome = in_words(line, checked_one);
    const std::string name = printable(outcome.input.string());
    const bool is_read = outcome.status == Status::done;
    ++(is_read ? checked : failed);
    if (!is_read) print_message(fmt::format("{}: {}", name, printable(outcome.message)));
    std::vector<std::string> findings;
    if (is_read)
      for (const Sentence& warning : outcome.warnings) findings.push_back(warning.text);
    disagreeing += findings.empty() ? 0 : 1;
    json.put([&] { return json_line_checked(outcome.input, findings, outcome.message); });
    for (const std::string& finding : findings) {
      if (!json.is_standard_output()) fmt::print("{}: {}\n", name, printable(finding));
    }
    for (const LabelFinding& finding : writer.take_label_findings(outcome.job))
      labels->report(finding, json);
  };
  const CheckJobs jobs{found.files, line.quick};
  const FileSource files;
  ListReader reader(jobs, files);
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunEnd end = Engine(options, stop).run(reader, writer, report);
  bool whole = is_whole(line, end);
  if (!line.quiet) {
    print_message(fmt::format(
        "{} {} checked{}, {} of them with findings{}", checked,
        checked == 1 ? "picture" : "pictures", line.quick ? " without pixels" : "", disagreeing,
        failed > 0 ? fmt::format(", {} damaged or not readable", failed) : ""));
  }
  if (labels && !stop) whole = labels->finish(json) && whole;
  whole = json.finish() && whole;
  const std::uint64_t wrong = labels ? labels->wrong() : 0;
  return exit_code_of_run(whole && disagreeing + failed + wrong == 0);
}

}  // namespace qturn
