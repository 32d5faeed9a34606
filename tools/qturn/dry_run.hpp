// --dry-run: what a run would do, as far as the headers of the files tell.
#pragma once

#include <cstdint>

#include "src/files/source.hpp"
#include "src/plan/plan.hpp"
#include "src/run/options.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {

class DryRun {
 public:
  /// Opens --json's FILE; throws PlanError if that fails. `line` must outlive it.
  explicit DryRun(const CommandLine& line) : line_(line), json_(line) {}

  /// The options for a dry run. It takes one file at a time, so that the lines are in order.
  static RunOptions options(RunOptions options);

  /// Says what is left alone and what cannot be read.
  void add(const Plan& plan);
  /// Prints what would be done for an output.
  void add(const Outcome& planned);
  /// `whole`: whether all was looked at. Returns the exit status.
  int end(bool whole);

 private:
  const CommandLine& line_;
  JsonLines json_;
  std::uint64_t failed_ = 0;
};

/// Prints the plan, and returns the exit status.
int print_plan(const CommandLine& line, const Plan& plan, const Source& source, RunOptions options);

}  // namespace qturn
