// Files to files, in a folder or in place: the steps of a run, in their order.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/shard_parts.hpp"
#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/dataset/written_pictures.hpp"
#include "src/files/journals.hpp"
#include "src/files/standard_streams.hpp"
#include "src/plan/journal_roots.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/sinks/standard_output.hpp"
#include "tools/qturn/commands.hpp"
#include "tools/qturn/findings.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/label_pages.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/sharding.hpp"
#include "tools/qturn/streams.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// A run in place replaces the originals, so each result is flushed. A new folder can be made
/// again, so one flush at the end is enough.
Fsync default_fsync(const CommandLine& line, const Plan& plan) {
  return line.in_place || plan.output_folder.empty() ? Fsync::each : Fsync::end;
}

class FileRun {
 public:
  /// Plans the run. `head`: the beginning of standard input, if that is the input. `line` must
  /// outlive it. Throws PlanError.
  FileRun(const CommandLine& line, PlanOptions wanted, RunOptions options, const Bytes& head);

  /// Throws PlanError if inputs or output belong to other runs. Says which shard this is, if any.
  void check_places();
  /// Whether another run has done all of this shard.
  bool is_done_before() const { return shard_ && shard_->is_complete(); }
  /// Throws PlanError for labels that would not be turned, or if files about all pictures have no
  /// place, and says which labels are turned.
  void check_labels();
  /// Prints what the run would do. Returns the exit status.
  int print() const;
  /// Locks the output and opens the journals. From here on files are changed. False: another run
  /// has done all of this shard meanwhile.
  bool begin();
  void turn_pictures();
  /// Writes the files about all pictures, prints the summary and ends the journals. Returns whether
  /// nothing is missing.
  bool finish();

 private:
  const Source& source() const {
    return standard_input_ ? static_cast<const Source&>(*standard_input_) : files_;
  }
  bool augments() const { return line_.command == CommandLine::Command::augment; }
  FileWriterOptions sink_options(Fsync fsync) const;
  /// Writes the label files of many pictures and the files of data sets; a shard writes its part of
  /// them. Adds to `listed` what the manifest lists.
  FileResults write_shared(std::vector<ManifestFile>& listed) const;
  /// In place, label files of many pictures follow them, or it is said that they lag. False if one
  /// could not be replaced.
  bool replace_shared(bool has_ended_early) const;
  /// Writes the files about all pictures, after augment also the manifest and the page of --html.
  /// If the run has ended early, writes the manifest alone, so that shorter files do not replace
  /// the files of an earlier run. False if one could not be written: messages say why.
  ///
  /// augment writes nothing if no picture was written or is there. So a run that ended before its
  /// first result can be repeated, and no file is replaced by an empty one.
  bool write_files_of_all();

  const CommandLine& line_;
  PlanOptions wanted_;
  RunOptions options_;
  std::optional<StandardInput> standard_input_;
  const FileSource files_;
  Plan plan_;
  std::optional<ReportPlace> json_place_;
  std::optional<ShardOfRun> shard_;
  std::filesystem::path manifest_;      // of augment
  std::unique_ptr<Journals> journals_;  // null if there are none
  std::optional<FileSampleWriter> sink_;
  std::optional<Report> report_;
  std::optional<WrittenPictures> written_;
  bool is_run_whole_ = false, is_interrupted_ = false;  // once it has ended
};

FileRun::FileRun(const CommandLine& line, PlanOptions wanted, RunOptions options, const Bytes& head)
    : line_(line), wanted_(std::move(wanted)), options_(std::move(options)) {
  if (is_from_standard_input(line_)) {
    standard_input_.emplace(read_standard_input(head, options_.largest_bytes));
    wanted_.standard_input = standard_input_->picture();
  }
  if (standard_input_ || is_to_standard_output(line_)) leave_labels(line_, wanted_);
  plan_ = plan(wanted_);
  options_.shared_stems = plan_.shared_stems;
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
  refuse_unfit_companions(line_, plan_);
  say_labels(line_, plan_);
  warn_of_sides(line_, plan_);
  const IfExists if_exists = line_.if_shared_files_exist();
  if (augments()) manifest_ = place_in_output(plan_, "manifest.jsonl", if_exists, "the manifest");
  if (shard_) manifest_ = shard_folder(plan_.output_folder, *line_.shard) / shard_manifest_name;
  const ReportPlace html = ReportPlace::html(line_);
  html.refuse(plan_);
  const auto keep_reports_from = [&](const fs::path& file) {
    json_place_->refuse(file);
    html.refuse(file);
  };
  keep_reports_from(manifest_);
  check_shared_files(plan_, if_exists, keep_reports_from);
  html.refuse_all_but_pages();
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

int FileRun::print() const {
  RunOptions options = DryRun::options(options_);
  options.sidecars = line_.sidecars ? Sidecars::turn : Sidecars::report;
  DryRun dry_run(line_, plan_);
  ListReader reader(plan_.jobs, source());
  Run run(line_, options);
  return dry_run.end(run.turn(reader, FileSampleWriter({}),
                              [&](const Outcome& planned) { dry_run.add(planned); }));
}

bool FileRun::begin() {
  const std::string device = set_device(
      line_, [&] { return jpeg_bytes(plan_); }, options_);
  const Fsync fsync = line_.fsync.value_or(default_fsync(line_, plan_));
  watch_stop_signals();
  journals_ = open_journals(line_, wanted_, plan_, options_.jpeg.edges, fsync);
  // Another run may have begun before this one held the lock.
  if (line_.in_place) refuse_changed_files(plan_);
  if (!shard_) refuse_unmerged_shards(plan_.output_folder);
  if (shard_ && !begin_shard(*shard_)) return false;
  if (!augments() && !standard_input_)
    options_.sidecars = line_.sidecars ? Sidecars::turn : Sidecars::report;
  sink_.emplace(sink_options(fsync), journals_.get());
  report_.emplace(line_, plan_, device);
  written_.emplace(plan_.jobs);
  if (journals_) journals_->begin([&] { return result_folders(plan_); });
  return true;
}

void FileRun::turn_pictures() try {
  Run run(line_, options_);
  const StandardOutput standard_output(run.stop());
  const SampleWriter& results =
      is_to_standard_output(line_) ? static_cast<const SampleWriter&>(standard_output) : *sink_;
  ListReader reader(plan_.jobs, source());
  is_run_whole_ = run.turn(reader, results, [&](const Outcome& outcome) {
    report_->add(outcome);
    written_->add(outcome);
  });
  written_->finish();
} catch (const std::exception& error) {
  rethrow_unfinished(error, journals_.get());
}

FileResults FileRun::write_shared(std::vector<ManifestFile>& listed) const {
  if (!shard_)
    return write_shared_files(plan_, options_, *written_, line_.if_shared_files_exist(), listed);
  FileResults results{.is_whole = plan_.jobs.shared_labels().broken().empty()};
  if (!results.is_whole) return results;
  results.add([&] {
    return write_shard_parts(manifest_.parent_path() / shard_parts_name, plan_, options_,
                             *written_);
  });
  return results;
}

bool FileRun::replace_shared(bool has_ended_early) const {
  if (!has_ended_early)
    return say_results(replace_shared_files(plan_, options_, *written_, *journals_, *sink_));
  for (const fs::path& file : lagging_files(plan_, *written_, *journals_))
    print_message(fmt::format("{} lags behind its pictures until --resume has done the rest",
                              printable(file.string())),
                  Tone::warning);
  return true;
}

bool FileRun::write_files_of_all() {
  const bool has_ended_early = is_interrupted_ || !is_run_whole_;
  if (line_.in_place) return replace_shared(has_ended_early);
  // A shard has a manifest even if it has no pictures.
  const bool needs_pictures = augments() && (!shard_ || has_ended_early);
  if (needs_pictures && plan_.jobs.skipped_count() == 0 && written_->empty()) return true;
  RunRecord record{.header = {version, result_options(line_, options_.jpeg.edges, "=")},
                   .written = *written_,
                   .options = options_,
                   .journals = journals_.get(),
                   .is_interrupted = has_ended_early,
                   .files = {}};
  FileResults results;
  if (!has_ended_early) results = write_shared(record.files);
  const IfExists if_exists = shard_ ? IfExists::replace : line_.if_shared_files_exist();
  if (augments()) results.add([&] { return write_manifest(manifest_, plan_, record, if_exists); });
  const bool is_whole = say_results(results);
  if (line_.html_file.empty() || has_ended_early) return is_whole;
  return write_augment_page(line_, plan_, written_->variants()) && is_whole;
}

// Pictures may have been replaced, so an error here does not mean that nothing was started.
//
// The order is: files about all pictures, the summary, the record, the locks. Whatever ends the
// program on the way, and whatever it has said by then, --resume finds the record.
bool FileRun::finish() try {
  is_interrupted_ = end_watch(report_->finished() >= plan_.jobs.output_count());
  // A user who interrupts the run does not wait for the disk: --resume compares the files.
  if (!is_interrupted_) say_warnings(sink_->finish());
  const bool are_pictures_done = report_->failed() == 0 && report_->incomplete() == 0;
  bool whole =
      report_->json_is_whole() && are_pictures_done && report_->salvaged() == 0 && is_run_whole_;
  const bool are_shared_written = write_files_of_all();
  whole = whole && are_shared_written;
  // Pictures that failed do not keep the others from being merged: the manifest names them.
  const bool is_mergeable = report_->json_is_whole() && is_run_whole_ && are_shared_written &&
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
  const bool all_done = !is_interrupted_ && is_run_whole_ && are_pictures_done &&
                        are_shared_written && (whole || !shard_);
  say_warnings(journals_->finish(all_done));
  return whole;
} catch (const std::exception& error) {
  say_why(line_, error);
  return false;
}

}  // namespace

int turn_files(const CommandLine& line, PlanOptions wanted, RunOptions options, const Bytes& head) {
  refuse_what_is_for_tars(line);
  FileRun run(line, std::move(wanted), std::move(options), head);
  run.check_places();
  if (run.is_done_before()) return say_is_done(line);
  run.check_labels();
  if (line.dry_run) return run.print();
  if (!run.begin()) return say_is_done(line);
  run.turn_pictures();
  return exit_code_of_run(run.finish());
}

}  // namespace qturn
