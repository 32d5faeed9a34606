#include "tools/qturn/commands.hpp"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>

#include "src/plan/journal_roots.hpp"
#include "src/sources/folder_samples.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sample_run.hpp"
#include "tools/qturn/streams.hpp"
#include "tools/qturn/tar_outputs.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

void refuse_unfit_to_pack(const CommandLine& line) {
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

std::shared_ptr<TarRecord> record_of_pack(const CommandLine& line, const PlanOptions& options,
                                          const Plan& found, JpegEdges edges) {
  if (!leaves_record(line) || is_to_standard_output(line)) return nullptr;
  Hasher states;
  const auto add = [&](const fs::path& path, std::uint64_t bytes, std::int64_t modified_ns) {
    const std::string state = fmt::format("{} {} {}\n", path.native(), bytes, modified_ns);
    states.add(std::as_bytes(std::span(state)));
  };
  for (const FoundFile& file : found.jobs.files())
    add(found.jobs.files().path(file), file.bytes, file.modified_ns);
  for (const CompanionFiles* among : found.jobs.companions()) {
    for (const CompanionFiles::File& each : *among) {
      const fs::path path = among->path(each);
      std::error_code none;  // what reads it says why it cannot
      add(path, fs::file_size(path, none),
          fs::last_write_time(path, none).time_since_epoch().count());
    }
  }
  for (const SharedLabels::File& file : found.jobs.shared_labels().files())
    add(file.input, file.state.bytes, file.state.modified_ns);
  return std::make_shared<TarRecord>(line, line.output, absolute_inputs(options), states.hash(),
                                     edges);
}

void say_left_out(const CommandLine& line, const Plan& found) {
  for (const DataSets::File& file : found.jobs.data_sets().files()) {
    if (!line.quiet)
      print_message(printable(file.input.string()) +
                    " describes the whole data set and is left out of the tar");
  }
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
  refuse_unfit_to_pack(line);
  plan.to_samples = true;
  plan.sidecars = false;  // sidecars are files of samples
  const auto found = std::make_shared<const Plan>(qturn::plan(plan));
  refuse_unmerged_inputs(plan);
  refuse_unfit_companions(line, *found);
  refuse_one_sample_of_two(found->jobs.files());
  const auto record = record_of_pack(line, plan, *found, options.jpeg.edges);
  if (line.resume && record && record->is_done()) return say_is_done(line);
  refuse_existing_output(line, line.output);
  const ReportPlace json = ReportPlace::json(line);
  json.refuse(*found);
  json.refuse(line.output);
  SampleWork work{.inputs = {{.tar = {}, .output = line.output, .record = record, .listed = found}},
                  .replaces = line.replaces_existing()};
  work.found.others = found->others;
  work.found.leftovers = found->leftovers;
  work.found.unreadable = found->unreadable;
  if (line.dry_run) return print_samples(line, std::move(plan), options, work);
  const std::string device = set_device(
      line, [&] { return jpeg_bytes(*found); }, options);
  say_labels(line, *found);
  say_left_out(line, *found);
  Report report(line, work.found, device);
  return turn_samples(line, std::move(plan), options, work, report);
}

}  // namespace qturn
