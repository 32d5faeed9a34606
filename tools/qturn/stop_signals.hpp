// Ctrl-C and SIGTERM raise a flag; the work in flight sees it, gives up cleanly, and the program
// ends as those signals ask.
#ifndef QTURN_TOOLS_QTURN_STOP_SIGNALS_HPP
#define QTURN_TOOLS_QTURN_STOP_SIGNALS_HPP

#include <atomic>

namespace qturn {

/// Installs the handlers, once, and returns the flag. SIGPIPE is ignored, so that writing to a
/// closed pipe is an error that can be told, not the end.
const std::atomic<bool>& watch_stop_signals();

/// 128 + the signal that came (130 or 143); 0 if none did.
int stop_exit_code();

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_STOP_SIGNALS_HPP
