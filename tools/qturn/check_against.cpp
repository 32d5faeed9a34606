#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include <mutex>
#include <span>

#include "src/check/check_writer.hpp"
#include "src/companions/find_companions.hpp"
#include "src/companions/label_files.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/run/pipeline.hpp"
#include "src/sample/companion.hpp"
#include "tools/qturn/check.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/progress.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

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

/// Names each file of `turned` that has no original. Returns how many there are.
std::uint64_t say_without_original(const FileList& turned, const FileList& originals) {
  const Counterparts known(originals);
  std::uint64_t count = 0;
  for (const FoundFile& file : turned) {
    if (known.of(turned.key(file))) continue;
    print_message(printable(turned.path(file)) + ": it has no original of the same name",
                  Tone::error);
    ++count;
  }
  return count;
}

}  // namespace

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
  JsonLines json(line);
  std::uint64_t failed = 0, differing = 0, proved = 0;
  for (const Compared* compared : {&originals, &results}) {
    failed += compared->found.unreadable.size();
    for (const Sentence& reason : compared->found.unreadable) say(line, Tone::error, reason);
  }
  if (!line.quiet)
    for (const auto& [file, format] : shared_label_files(turned, originals.found))
      print_message(printable(file.string()) + ": labels of many pictures are not compared",
                    Tone::warning);
  failed += say_without_original(results.found.files, originals.found.files);
  RunOptions options;
  options.decode_only = true;
  options.verify = true;
  options.raw = line.raw;
  options.jpeg.edges = JpegEdges::trim;  // what is trimmed may be missing
  set_resources(line, options);
  std::uint64_t bytes = 0;
  for (const FoundFile& file : originals.found.files) bytes += file.bytes;
  Progress progress(line, originals.found.files.size(), bytes);
  const AgainstWriter writer;
  const auto report = [&](const Outcome& of_run) {
    const Outcome outcome = in_words(line, of_run);
    const bool agrees = outcome.status == Status::done;
    const bool differs = outcome.status == Status::rejected;
    ++(agrees ? proved : differs ? differing : failed);
    progress.add(outcome);
    std::unique_lock<std::mutex> no_bar;
    if (json.is_standard_output() || !agrees || !line.quiet) no_bar = progress.pause();
    json.put([&] { return json_line_compared(outcome); });
    const std::string name = printable(outcome.input.string());
    if (!agrees)
      say(line, Tone::error, {outcome.input.string() + ": " + of_run.message, of_run.hints});
    else if (!line.quiet && !json.is_standard_output())
      fmt::print("{}: {}\n", name, qturn::name(outcome.applied));
  };
  const ComparedJobs jobs{originals, results};
  const FileSource files;
  ListReader reader(jobs, files);
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunEnd end = Engine(options, stop).run(reader, writer, report);
  progress.end();
  bool whole = is_whole(line, end);
  if (!line.quiet)
    print_message(fmt::format(
        "{} of {} hold{} what {} original{} say{}{}{}", proved,
        counted(originals.found.files.size(), "picture", "pictures"), proved == 1 ? "s" : "",
        proved == 1 ? "its" : "their", proved == 1 ? "" : "s", proved == 1 ? "s" : "",
        differing > 0 ? fmt::format(", {} differ", differing) : "",
        failed > 0 ? fmt::format(", {} damaged, missing or not readable", failed) : ""));
  whole = json.finish() && whole;
  return exit_code_of_run(whole && differing + failed == 0);
}

}  // namespace qturn
