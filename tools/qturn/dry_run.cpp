#include "tools/qturn/dry_run.hpp"

#include <fmt/format.h>

#include <atomic>
#include <string>
#include <utility>

#include "src/run/pipeline.hpp"
#include "src/sample/companion.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

std::string labels_in_words(const Outcome& outcome) {
  std::string words;
  for (const Companion& each : outcome.companions)
    words += fmt::format(", with {} -> {}", printable(each.input.string()),
                         printable(each.output.string()));
  for (const std::filesystem::path& file : outcome.shared_labels)
    words += fmt::format(", with its labels in {}", printable(file.string()));
  return words;
}

}  // namespace

RunOptions DryRun::options(RunOptions options) {
  options.plan_only = true;
  options.threads = 1;
  return options;
}

void DryRun::add(const Plan& plan) {
  for (const Sentence& reason : plan.unreadable) say(line_, Tone::error, reason);
  failed_ += plan.unreadable.size();
  plan.jobs.for_each_skipped(
      [&](const Skipped& skipped) { json_.put([&] { return json_line(skipped); }); });
}

void DryRun::add(const Outcome& planned) {
  const Outcome outcome = in_words(line_, planned);
  json_.put([&] { return json_line_planned(outcome); });
  if (has_failed(outcome.status)) {
    ++failed_;
    say(line_, Tone::error, {outcome.input.string() + ": " + planned.message, planned.hints});
  } else if (!json_.is_standard_output()) {
    fmt::print("{} -> {} ({}{})\n", printable(outcome.input.string()),
               printable(outcome.output.string()),
               outcome.status == Status::skipped ? "left alone: " + outcome.message
                                                 : turn_in_words(line_, outcome),
               labels_in_words(outcome));
  }
}

int DryRun::end(bool whole) {
  whole = json_.finish() && whole;
  return exit_code_of_run(whole && failed_ == 0);
}

int print_plan(const CommandLine& line, const Plan& plan, const Source& source,
               RunOptions options) {
  DryRun dry_run(line);
  dry_run.add(plan);
  options = DryRun::options(std::move(options));
  options.sidecars = line.sidecars ? Sidecars::turn : Sidecars::report;
  const FileSampleWriter unused({});
  const std::atomic<bool>& stop = watch_stop_signals();
  ListReader reader(plan.jobs, source);
  const RunEnd end = Engine(options, stop).run(reader, unused, [&](const Outcome& planned) {
    dry_run.add(planned);
  });
  return dry_run.end(is_whole(line, end));
}

}  // namespace qturn
