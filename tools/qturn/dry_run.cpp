#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "src/run/pipeline.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/sinks/sample_writer.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
int print_plan(const CommandLine& line, const Plan& plan, const Source& source,
               RunOptions options) {
  for (const Sentence& reason : plan.unreadable) say(line, Tone::error, reason);
  JsonLines json(line);
  plan.jobs.for_each_skipped(
      [&](const Skipped& skipped) { json.put([&] { return json_line(skipped); }); });
  options.plan_only = true;
  options.threads = 1;
  options.sidecars = line.sidecars ? Sidecars::turn : Sidecars::report;
  const FileSampleWriter unused({});
  std::uint64_t failed = 0;
  const std::atomic<bool>& stop = watch_stop_signals();
  ListReader reader(plan.jobs, source);
  const RunEnd end = Engine(options, stop).run(reader, unused, [&](const Outcome& planned) {
    const Outcome outcome = in_words(line, planned);
    json.put([&] { return json_line_planned(outcome); });
    const std::string input = printable(outcome.input.string());
    if (outcome.status == Status::failed) {
      ++failed;
      say(line, Tone::error, {outcome.input.string() + ": " + planned.message, planned.hints});
    } else if (!json.is_standard_output()) {
      fmt::print("{} -> {} ({}{})\n", input, printable(outcome.output.string()),
                 outcome.status == Status::skipped ? "left alone: " + outcome.message
                                                   : turn_in_words(line, outcome),
                 label_in_words(plan, outcome));
    }
  });
  const bool whole = json.finish() && is_whole(line, end);
  return exit_code_of_run(whole && failed == 0 && plan.unreadable.empty());
}

}  // namespace qturn
