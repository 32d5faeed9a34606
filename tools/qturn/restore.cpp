#include "tools/qturn/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/files/backup.hpp"
#include "src/inputs/find_files.hpp"
#include "src/sinks/restore_writer.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/run_options.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_without_record(const fs::path& folder) {
  SomeNames names;
  for (const fs::path& file : originals_in(folder))
    names.add(file.lexically_relative(folder).string());
  if (names.count() == 0)
    throw PlanError(fmt::format("{}: holds no originals of a run", folder.string()));
  throw PlanError(fmt::format("{}: no record says where these files were: {}; nothing was restored",
                              folder.string(), names.text()));
}

int list_runs(const fs::path& backups) {
  const std::vector<fs::path> runs = runs_in(backups);
  if (runs.empty()) refuse_without_record(backups);
  for (const fs::path& folder : runs) {
    KeptRun run;
    try {
      run = read_run(folder);
    } catch (const FileError& error) {
      print_message(printable(error.what()));
      continue;
    }
    if (run.files == 0) continue;
    const std::string kept = fmt::format("{:.1f} MB", static_cast<double>(run.bytes_kept) / 1e6);
    fmt::print("{}  {}  {}{}\n", printable(folder.string()),
               run.header.operation.substr(0, run.header.operation.find(' ')),
               counted(run.files, "file", "files"),
               run.files_kept == 0 ? ", restored"
               : run.files_kept == run.files
                   ? ", " + kept
                   : fmt::format(", {} of them to restore, {}", run.files_kept, kept));
  }
  print_message("nothing was restored; name one of these runs");
  return 0;
}

/// Locks the folders that the run has changed. Finishes the journals of the run and of an earlier
/// restoration; they are forgotten once all is restored.
std::unique_ptr<Journals> open_journals_of(const KeptRun& run) {
  JournalOptions options{.roots = {},
                         .operation = "restore " + run.folder.filename().string(),
                         .start = JournalOptions::Start::restart,
                         .in_place = true,
                         .takes_back = run.runs,
                         .kept_in = run.folder};
  std::error_code unknown;
  for (const std::string& folder : run.header.inputs)
    if (fs::is_directory(folder, unknown)) options.roots.push_back({folder, {"."}});
  options.shared = [&run](const JournalOptions::VisitShared& visit) {
    for (const Intent& picture : run.pictures)
      if (picture.front().is_shared) visit(picture.front().target, picture.front().target);
  };
  if (options.roots.empty())
    throw PlanError(
        fmt::format("the folders that were turned do not exist: {}; --to names the one "
                    "that it is now",
                    fmt::join(run.header.inputs, ", ")));
  return std::make_unique<Journals>(std::move(options), std::vector<fs::path>());
}

/// The folders in which a killed run may have left temporaries. If a file is not in the record, its
/// temporary may be in any folder below the inputs.
std::set<fs::path> folders_of(const KeptRun& run) {
  std::set<fs::path> folders;
  for (const std::string& root : run.header.inputs) folders.merge(folders_below(root));
  for (const Intent& picture : run.pictures)
    for (const IntendedFile& file : picture) folders.insert(file.target.parent_path());
  return folders;
}

using WhichPictures = std::function<bool(std::size_t number)>;

bool turn_some(const KeptRun& run, const WhichPictures& which, Run& restoration,
               const RestoreWriter& writer, const Run::Tell& tell) {
  const RecordedPictures jobs(run, which);
  ListReader reader(jobs, jobs);
  return jobs.size() == 0 || restoration.turn(reader, writer, tell);
}

/// Puts pictures back, and then shared files, if all their pictures are back. `options` is of the
/// run. Nothing that belongs to a shared file is put back if not all of it can be. Returns false if
/// it ended before all were done.
bool turn_all(const CommandLine& line, const KeptRun& run, RunOptions options,
              RestoreWriter& writer, const Run::Tell& tell) {
  const auto is_shared = [&](std::size_t number) { return run.is_shared(number); };
  const auto is_file = [&](std::size_t number) { return run.pictures[number].front().is_shared; };
  fs::path left;
  const auto look = [&](const Outcome& outcome) {
    if (has_failed(outcome.status) && is_shared(outcome.job)) left = outcome.output;
  };
  Run restoration(line, options);
  options.plan_only = true;
  Run looking(line, options);
  if (!turn_some(run, is_shared, looking, writer, look)) return false;
  writer.leave_shared(left);
  const bool are_back =
      turn_some(run, std::not_fn(is_file), restoration, writer, [&](const Outcome& outcome) {
        look(outcome);
        tell(outcome);
      });
  writer.leave_shared(left);
  try {
    return are_back && turn_some(run, is_file, restoration, writer, tell);
  } catch (const std::exception& error) {  // pictures are back
    say(line, Tone::error, reason(error));
    return false;
  }
}

/// Returns the exit status.
int restore_pictures(const CommandLine& line, const KeptRun& run, Journals* journals) {
  RunOptions options;
  set_resources(line, options);
  options.plan_only = line.dry_run;
  RestoreWriter writer(run, journals);
  const Plan no_plan;
  Report report(line, no_plan, {});
  if (journals) journals->begin([&] { return folders_of(run); });
  bool is_any_back = false, is_any_left = false;  // of shared files and their pictures
  std::size_t files_done = 0;                     // shared ones, which are no pictures
  const bool is_run_whole = turn_all(line, run, options, writer, [&](const Outcome& outcome) {
    if (run.is_shared(outcome.job)) {
      is_any_back = is_any_back || outcome.status == Status::done;
      is_any_left = is_any_left || has_failed(outcome.status);
    }
    Outcome restored = outcome;
    restored.input = outcome.output;  // what the user knows
    restored.is_picture = true;
    restored.route = Route::none;
    if (run.pictures[outcome.job].front().is_shared && !has_failed(outcome.status)) {
      ++files_done;
      for (const Sentence& warning : restored.warnings) say(line, Tone::warning, warning);
    } else {
      report.add(restored);
    }
    if (line.dry_run && outcome.status == Status::done)
      fmt::print("{} -> {}\n", printable(outcome.input.string()),
                 printable(outcome.output.string()));
  });
  const bool is_interrupted = end_watch(report.finished() + files_done == run.pictures.size());
  const bool whole = is_run_whole && report.incomplete() == 0;
  report.finish(is_interrupted, line.dry_run ? "would be restored" : "restored");
  if (journals) {
    // A file that another program has changed stays as it is, however often this is done.
    const bool all_done = whole && !is_interrupted && !(is_any_back && is_any_left);
    say_warnings(journals->finish(all_done, report.failed() == 0));
    if (whole && !is_interrupted) tidy(run);
  }
  return exit_code_of_run(whole && report.failed() == 0);
}

int restore_run(const CommandLine& line) {
  KeptRun run = read_run(line.backup);
  if (!line.to.empty()) move_root(run, line.to);
  if (run.header.inputs.empty()) {
    if (!originals_in(run.folder).empty()) refuse_without_record(line.backup);
    if (!line.quiet) print_message("this run replaced nothing");
    return 0;
  }
  watch_stop_signals();
  std::unique_ptr<Journals> journals;
  if (!line.dry_run) journals = open_journals_of(run);
  try {
    return restore_pictures(line, run, journals.get());
  } catch (const std::exception& error) {
    rethrow_unfinished(error, journals.get());
  }
}

}  // namespace

int restore(const CommandLine& line) {
  return is_run_folder(line.backup) ? restore_run(line) : list_runs(line.backup);
}

}  // namespace qturn
