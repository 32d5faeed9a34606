// A run: the samples of a reader are turned, their results go to a writer, and each outcome is
// told. The commands differ in these three:
//
//   command            reader                      writer                               told by
//   files to files     ListReader                  FileSampleWriter or StandardOutput   Report
//   tars               SampleStream                TarSampleWriter or FileSampleWriter  Report
//   folders to a tar   SampleStream                TarSampleWriter                      Report
//   --dry-run          that of the run             none is used                         DryRun
//   check              ListReader or SampleStream  CheckWriter                          Findings
//   check --against    ListReader                  AgainstWriter                        Findings
//   restore            ListReader                  RestoreWriter                        Report
//
// A run begins when it watches the signals: Ctrl-C, SIGTERM and SIGHUP (the terminal is closed)
// raise a flag. The work in flight sees it and gives up cleanly, and the program ends as those
// signals require. A second signal ends the program at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "src/run/options.hpp"
#include "src/run/outcome.hpp"
#include "src/run/pipeline.hpp"
#include "src/sinks/sample_writer.hpp"
#include "src/sources/sample_reader.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// If a reader is gone or a size limit is reached, writing fails with an error. SIGUSR1 asks for a
/// line of progress. Without this SIGPIPE, SIGXFSZ and SIGUSR1 end the program.
void take_signals();

/// Whether SIGUSR1 came since the last call.
bool take_progress_request();

/// Installs the handlers, once, and returns the flag. Before that these signals end the program,
/// which is right as long as it writes nothing.
const std::atomic<bool>& watch_stop_signals();

class Run {
 public:
  using Tell = std::function<void(const Outcome&)>;

  /// Watches the signals. `line` must outlive it. Throws CudaError.
  Run(const CommandLine& line, const RunOptions& options);

  /// Turns the samples of one reader after the other. False, and a message, if that ended before
  /// all were done; only the flag says that a signal did it.
  bool turn(SampleReader& reader, const SampleWriter& writer, const Tell& tell);

  /// Whether a signal came.
  const std::atomic<bool>& stop() const { return stop_; }
  /// How many variants of samples of the last reader were put in their places.
  std::uint64_t variants() const { return variants_; }

 private:
  const CommandLine& line_;
  const std::atomic<bool>& stop_;
  Engine engine_;
  std::uint64_t variants_ = 0;
};

/// To be called when the last file is in its place. From then on a first signal changes nothing, so
/// the summary and the status fit what was done. Returns whether a signal has interrupted the run;
/// false if all is done nevertheless.
bool end_watch(bool all_is_done);

/// The exit status of a run that has begun: 128 + the signal that came (129, 130 or 143). If no
/// signal came, 0 if the run is whole, else 1.
int exit_code_of_run(bool is_whole);

}  // namespace qturn
