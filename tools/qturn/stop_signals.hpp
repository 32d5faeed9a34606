// Ctrl-C, SIGTERM and SIGHUP (the terminal is closed) raise a flag. The work in flight sees it and
// gives up cleanly, and the program ends as those signals require. A second signal ends the program
// at once.
#pragma once

#include <atomic>

namespace qturn {

/// If a reader is gone or a size limit is reached, writing fails with an error. SIGUSR1 asks for a
/// line of progress. Without this SIGPIPE, SIGXFSZ and SIGUSR1 end the program.
void take_signals();

/// Whether SIGUSR1 came since the last call.
bool take_progress_request();

/// Installs the handlers, once, and returns the flag. Before that these signals end the program,
/// which is right as long as it writes nothing.
const std::atomic<bool>& watch_stop_signals();

/// To be called when the last file is in its place. From then on a first signal changes nothing, so
/// the summary and the status fit what was done. Returns whether a signal has interrupted the run;
/// false if all is done nevertheless.
bool end_watch(bool all_is_done);

/// The exit status of a run that has begun: 128 + the signal that came (129, 130 or 143). If no
/// signal came, 0 if the run is whole, else 1.
int exit_code_of_run(bool is_whole);

}  // namespace qturn
