#include "tools/qturn/check_against.hpp"

#include <fmt/format.h>

#include "src/check/against_writer.hpp"
#include "src/plan/find_files.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/check.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/resources.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

FoundFiles pictures_of(const PlanOptions& options, const ReportPlace& json) {
  FoundFiles found = find_files(options);
  found.files.erase_if([](const FoundFile& file) { return !file.picture; });
  for (const FoundFile& file : found.files) json.refuse(found.files.path(file));
  return found;
}

/// How many files of `turned` have no original, each of which is named.
std::uint64_t say_without_original(const FileList& turned, const FileList& originals) {
  const Counterparts known(originals);
  std::uint64_t count = 0;
  for (const FoundFile& file : turned) {
    if (known.of(turned.key(file))) continue;
    print_message(printable(turned.path(file)) + ": it has no original of the same name");
    ++count;
  }
  return count;
}

}  // namespace

int check_against(const CommandLine& line, PlanOptions turned) {
  const ReportPlace json_place = ReportPlace::json(line);
  const FoundFiles results = pictures_of(turned, json_place);
  turned.inputs = {line.against};
  const FoundFiles originals = pictures_of(turned, json_place);
  if (originals.files.empty()) throw PlanError("no pictures in " + printable(line.against));
  JsonLines json(line);
  std::uint64_t failed = 0, differing = 0, proved = 0;
  for (const auto* found : {&originals, &results}) {
    failed += found->unreadable.size();
    for (const Sentence& reason : found->unreadable)
      print_message(printable(in_words(line, reason)));
  }
  failed += say_without_original(results.files, originals.files);
  RunOptions options;
  options.decode_only = true;
  options.verify = true;
  options.raw = line.raw;
  options.jpeg.edges = JpegEdges::trim;  // what is trimmed may be missing
  set_resources(line, options);
  const Counterparts counterparts(results.files);
  const AgainstWriter writer(counterparts);
  const auto report = [&](const Outcome& of_run) {
    const Outcome outcome = in_words(line, of_run);
    const bool agrees = outcome.status == Status::done;
    const bool differs = outcome.status == Status::rejected;
    ++(agrees ? proved : differs ? differing : failed);
    json.put([&] { return json_line_compared(outcome); });
    const std::string name = printable(outcome.input.string());
    if (!agrees)
      print_message(fmt::format("{}: {}", name, printable(outcome.message)));
    else if (!line.quiet && !json.is_standard_output())
      fmt::print("{}: {}\n", name, qturn::name(outcome.applied));
  };
  const CheckJobs jobs{originals.files};
  const FileSource files;
  ListReader reader(jobs, files);
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunEnd end = Engine(options, stop).run(reader, writer, report);
  bool whole = is_whole(line, end);
  if (!line.quiet)
    print_message(fmt::format(
        "{} of {} hold{} what {} original{} say{}{}{}", proved,
        counted(originals.files.size(), "picture", "pictures"), proved == 1 ? "s" : "",
        proved == 1 ? "its" : "their", proved == 1 ? "" : "s", proved == 1 ? "s" : "",
        differing > 0 ? fmt::format(", {} differ", differing) : "",
        failed > 0 ? fmt::format(", {} damaged, missing or not readable", failed) : ""));
  whole = json.finish() && whole;
  return exit_code_of_run(whole && differing + failed == 0);
}

}  // namespace qturn
