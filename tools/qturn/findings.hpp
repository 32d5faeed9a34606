// What a run without results says: `check`, and --dry-run.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/inputs/file_list.hpp"
#include "src/picture/errors.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/progress.hpp"

namespace qturn {

/// Prints lines on standard output, in words or as JSON, and on standard error what failed. One
/// call at a time.
class Findings {
 public:
  using MakeJson = std::function<std::string()>;

  /// Opens --json's FILE; throws PlanError if that fails. `line` must outlive it.
  explicit Findings(const CommandLine& line) : line_(line), json_(line) {}
  /// Shows the progress among these files, too. If there are none, their number is not known.
  Findings(const CommandLine& line, const FileList& files);

  /// Says why files cannot be read.
  void add(const std::vector<Sentence>& unreadable);
  /// Prints `words`, a line each, or `json`.
  void add(const std::vector<std::string>& words, const MakeJson& json);
  /// The same for an outcome. Says why, if it is a failure.
  void add(const Outcome& of_run, bool is_failure, const std::vector<std::string>& words,
           const MakeJson& json);

  std::uint64_t failed() const { return failed_; }
  /// Ends the progress, and prints this unless --quiet.
  void summarize(const std::string& text);
  /// `whole`: whether all was looked at, and nothing is wrong. Returns the exit status.
  int end(bool whole);

 private:
  std::unique_lock<std::mutex> pause();

  const CommandLine& line_;
  JsonLines json_;
  std::optional<Progress> progress_;
  std::uint64_t failed_ = 0;
};

/// --dry-run: what a run would do, as far as the headers of the files tell.
class DryRun {
 public:
  /// Says what `plan` leaves alone, and what cannot be read.
  DryRun(const CommandLine& line, const Plan& plan);

  /// The options for a dry run. It takes one file at a time, so that the lines are in order.
  static RunOptions options(RunOptions options);

  /// Prints what would be done for an output.
  void add(const Outcome& planned);
  /// `whole`: whether all was looked at. Returns the exit status.
  int end(bool whole) { return findings_.end(whole); }

 private:
  const CommandLine& line_;
  Findings findings_;
};

}  // namespace qturn
