#include "tools/qturn/file_run.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/dataset/shared_files.hpp"
#include "src/plan/journal_roots.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/sinks/standard_output.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sharding.hpp"
#include "tools/qturn/stop_signals.hpp"
#include "tools/qturn/streams.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// A run in place replaces the originals, so each result is flushed. A new folder can be made
/// again, so one flush at the end is enough.
Fsync default_fsync(const CommandLine& line, const Plan& plan) {
  return line.in_place || plan.output_folder.empty() ? Fsync::each : Fsync::end;
}

}  // namespace

FileRun::FileRun(const CommandLine& line, PlanOptions wanted, RunOptions options, const Bytes& head)
    : line_(line), wanted_(std::move(wanted)), options_(std::move(options)) {
  if (is_from_standard_input(line_)) {
    standard_input_.emplace(read_standard_input(head, options_.largest_bytes));
    wanted_.standard_input = standard_input_->picture();
  }
  if (standard_input_ || is_to_standard_output(line_)) leave_labels(line_, wanted_);
  plan_ = plan(wanted_);
}

void FileRun::check_places() {
  refuse_unmerged_inputs(wanted_);
  json_place_ = ReportPlace::json(line_);
  json_place_->refuse(plan_);
  if (!line_.shard) return refuse_unmerged_shards(plan_.output_folder);
  shard_.emplace(shard_options(line_, wanted_, options_.jpeg.edges), plan_.output_folder,
                 Dealt::samples, keys_of(plan_, *line_.shard));
  if (!line_.quiet) print_message(shard_->in_words());
}

void FileRun::check_labels() {
  if (line_.command == CommandLine::Command::augment)
    augmentation_.emplace(line_, plan_, *json_place_);
  else
    check_labels_of_turn(line_, plan_, *json_place_);
}

FileWriterOptions FileRun::sink_options(Fsync fsync) const {
  IfExists if_exists = IfExists::fail;
  if (line_.in_place || line_.replaces_existing())
    if_exists = IfExists::replace;
  else if (line_.existing == Existing::skip)
    if_exists = IfExists::leave_companions;
  return {.in_place = line_.in_place,
          .inputs_are_files = !standard_input_,
          .if_exists = if_exists,
          .fsync = fsync,
          .places = &plan_.places};
}

bool FileRun::begin() {
  const std::string device = set_device(
      line_, [&] { return jpeg_bytes(plan_); }, options_);
  const Fsync fsync = line_.fsync.value_or(default_fsync(line_, plan_));
  stop_ = &watch_stop_signals();
  journals_ = open_journals(line_, wanted_, plan_, options_.jpeg.edges, fsync);
  // Another run may have begun before this one held the lock.
  if (line_.in_place) refuse_changed_files(plan_);
  if (!shard_) refuse_unmerged_shards(plan_.output_folder);
  if (shard_ && !begin_shard(*shard_)) return false;
  if (!augmentation_ && !standard_input_)
    options_.sidecars = line_.sidecars ? Sidecars::turn : Sidecars::report;
  sink_.emplace(sink_options(fsync), journals_.get());
  report_.emplace(line_, plan_, device);
  written_.emplace(plan_.jobs);
  if (journals_) journals_->begin([&] { return result_folders(plan_); });
  return true;
}

void FileRun::turn_pictures() try {
  const StandardOutput standard_output(*stop_);
  const SampleWriter& results =
      is_to_standard_output(line_) ? static_cast<const SampleWriter&>(standard_output) : *sink_;
  ListReader reader(plan_.jobs, source());
  end_ = Engine(options_, *stop_).run(reader, results, [&](const Outcome& outcome) {
    report_->add(outcome);
    written_->add(outcome);
  });
  written_->finish();
} catch (const std::exception& error) {
  rethrow_unfinished(error, journals_.get());
}

bool FileRun::write_files_of_all() {
  const bool has_ended_early = is_interrupted_ || !end_.error.text.empty();
  if (augmentation_)
    return augmentation_->finish(*written_, options_, journals_.get(), has_ended_early);
  if (has_ended_early) {
    if (!line_.in_place) return true;
    for (const fs::path& file : lagging_files(plan_, *written_, *journals_))
      print_message(fmt::format("{} lags behind its pictures until --resume has done the rest",
                                printable(file.string())),
                    Tone::warning);
    return true;
  }
  if (line_.in_place)
    return say_results(replace_shared_files(plan_, options_, *written_, *journals_, *sink_));
  std::vector<ManifestFile> listed;
  return say_results(
      write_shared_files(plan_, options_, *written_, line_.if_shared_files_exist(), listed));
}

// Pictures may have been replaced, so an error here does not mean that nothing was started.
//
// The order is: files about all pictures, the summary, the record, the locks. Whatever ends the
// program on the way, and whatever it has said by then, --resume finds the record.
bool FileRun::finish() try {
  is_interrupted_ = end_watch(report_->finished() >= plan_.jobs.output_count());
  const bool is_run_whole = is_whole(line_, end_);
  // A user who interrupts the run does not wait for the disk: --resume compares the files.
  if (!is_interrupted_) say_warnings(sink_->finish());
  const bool are_pictures_done = report_->failed() == 0 && report_->incomplete() == 0;
  bool whole =
      report_->json_is_whole() && are_pictures_done && report_->salvaged() == 0 && is_run_whole;
  const bool are_shared_written = write_files_of_all();
  whole = whole && are_shared_written;
  // Pictures that failed do not keep the others from being merged: the manifest names them.
  const bool is_mergeable = report_->json_is_whole() && is_run_whole && are_shared_written &&
                            report_->incomplete() == 0 && plan_.unreadable.empty();
  if (shard_ && is_mergeable && !is_interrupted_)
    say_warnings(shard_->complete({shard_manifest_name, shard_parts_name}, !whole));
  report_->finish(is_interrupted_, "written", journals_ != nullptr);
  if (!journals_) return whole;
  if (journals_->has_kept_originals() && !line_.quiet) {
    const fs::path kept = fs::path(line_.backup) / journals_->kept_in().filename();
    print_message(
        fmt::format("'qturn restore {}' puts the originals back", printable(kept.string())));
  }
  const bool all_done = !is_interrupted_ && end_.error.text.empty() && are_pictures_done &&
                        are_shared_written && (whole || !shard_);
  say_warnings(journals_->finish(all_done));
  return whole;
} catch (const std::exception& error) {
  say_why(line_, error);
  return false;
}

}  // namespace qturn
