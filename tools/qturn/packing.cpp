#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "src/dataset/shards.hpp"
#include "src/plan/journal_roots.hpp"
#include "src/sample/companion.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/sources/folder_samples.hpp"
#include "tools/qturn/dry_run.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/resources.hpp"
#include "tools/qturn/sample_outputs.hpp"
#include "tools/qturn/streams.hpp"
#include "tools/qturn/tar_run.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

void refuse_unfit(const CommandLine& line) {
  const std::pair<bool, const char*> unfit[] = {
      {line.unpack, "--unpack writes the files of tars; the inputs are files already"},
      {line.shard.has_value(),
       "--shard does not divide one tar; pack parts of the folder (--include), and give the tars "
       "to --shard"},
      {line.leaves_existing(),
       "--skip-existing and --update do not look into a folder that is packed; use --resume, which "
       "leaves a tar that is up to date"},
      {line.others == Others::copy,
       "a tar holds only samples, so --others copy cannot copy other files into it; leave it out"},
  };
  for (const auto& [is_given, why] : unfit)
    if (is_given) throw PlanError(why);
  refuse_unfit_for_tars(line);
}

std::optional<TarRecord> record_of_pack(const CommandLine& line, const PlanOptions& options,
                                        const Plan& found, JpegEdges edges) {
  if (!leaves_record(line) || is_to_standard_output(line)) return std::nullopt;
  Hasher states;
  for (const FoundFile& file : found.jobs.files()) {
    const std::string state =
        fmt::format("{} {} {}\n", found.jobs.files().path(file), file.bytes, file.modified_ns);
    states.add(std::as_bytes(std::span(state)));
  }
  return TarRecord(line, line.output, absolute_inputs(options), states.hash(), edges);
}

void say_left_out(const CommandLine& line, const Plan& found) {
  for (const DataSets::File& file : found.jobs.data_sets().files()) {
    if (!line.quiet)
      print_message(printable(file.input.string()) +
                    " describes the whole data set and is left out of the tar");
  }
}

/// What --dry-run says. Returns the exit status.
int print_packed(const CommandLine& line, PlanOptions plan, const RunOptions& options, Plan& found,
                 std::unique_ptr<MemberReader> reader) {
  DryRun dry_run(line);
  dry_run.add(found);
  TarRun tars(line, std::move(plan), DryRun::options(options), found,
              [&](const Outcome& planned) { dry_run.add(planned); });
  const bool whole = tars.turn("", std::move(reader), line.output, FileSampleWriter({}));
  return dry_run.end(whole && tars.other_failures() == 0);
}

}  // namespace

bool is_packed(const CommandLine& line) {
  if (is_from_standard_input(line) || line.in_place) return false;
  if (!is_to_standard_output(line)) {
    if (fs::path(line.output).extension() == ".tar") return !fs::is_directory(line.output);
    refuse_name_of_tar(line.output);
    return false;
  }
  return line.command == CommandLine::Command::augment || line.inputs.size() != 1 ||
         fs::is_directory(line.inputs.front());
}

int turn_and_pack(const CommandLine& line, PlanOptions plan, RunOptions options) {
  refuse_unfit(line);
  plan.to_samples = true;
  plan.sidecars = false;  // sidecars are files of samples
  const fs::path place = line.output;
  const Plan found = qturn::plan(plan);
  refuse_unmerged_inputs(plan);
  refuse_leftovers(line, found);
  refuse_pairs(line, found);
  refuse_copied_sidecars(line, found);
  std::optional<TarRecord> record = record_of_pack(line, plan, found, options.jpeg.edges);
  if (line.resume && record && record->is_done()) return say_tars_are_done(line);
  refuse_existing_output(line, place);
  const FileSource files;
  auto reader = std::make_unique<FolderSamples>(found.jobs, files);
  const ReportPlace json = ReportPlace::json(line);
  json.refuse(found);
  json.refuse(place);
  Plan counted;
  counted.others = found.others;
  counted.leftovers = found.leftovers;
  counted.unreadable = found.unreadable;
  if (line.dry_run) return print_packed(line, std::move(plan), options, counted, std::move(reader));
  const std::string device = set_device(
      line, [&] { return jpeg_bytes(found); }, options);
  say_labels(line, found);
  say_left_out(line, found);
  Report report(line, counted, device);
  TarRun tars(line, std::move(plan), options, counted,
              [&](const Outcome& outcome) { report.add(outcome); });
  const IfExists if_exists = line.replaces_existing() ? IfExists::replace : IfExists::fail;
  RealPlaces folders;
  const auto output = open_sample_output(line, place, if_exists, folders, nullptr,
                                         record ? record->begin() : nullptr, tars.stop());
  bool is_placed = false;
  try {
    is_placed = tars.turn("", std::move(reader), place, *output);
    if (is_placed) tars.finish(place, *output);
  } catch (const FileError& error) {
    say_why(line, error);
    is_placed = false;
  }
  const bool whole = report.json_is_whole() && report.failed() + report.salvaged() == 0 &&
                     tars.other_failures() == 0 && is_placed;
  if (record && whole) record->end();
  return tars.end(report, is_placed, whole);
}

}  // namespace qturn
