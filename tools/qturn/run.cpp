#include "tools/qturn/run.hpp"

#include <unistd.h>

#include <csignal>

#include "src/tasks/suspend.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {
namespace {

std::atomic<bool> stop{false};
std::atomic<bool> progress{false};
constexpr int is_over = -1;
std::atomic<int> signal_number{0};  // the first; or is_over
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  // The second one ends the program at once. Files are whole at any time, temporaries may be left.
  if (stop.exchange(true)) ::_exit(128 + number);
  int none = 0;
  signal_number.compare_exchange_strong(none, number);
}

}  // namespace

void take_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  end_by_name_without_memory();
  struct sigaction action = {};
  action.sa_handler = [](int) { progress = true; };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

bool take_progress_request() { return progress.exchange(false); }

const std::atomic<bool>& watch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // nohup ignores it, and so do we then.
  struct sigaction hang_up = {};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
  return stop;
}

Run::Run(const CommandLine& line, const RunOptions& options)
    : line_(line), stop_(watch_stop_signals()), engine_(options, stop_) {}

bool Run::turn(SampleReader& reader, const SampleWriter& writer, const Tell& tell) {
  const RunEnd end = engine_.run(reader, writer, tell);
  variants_ = end.variants;
  if (!end.warning.empty()) print_message(end.warning, Tone::warning);
  if (end.error.text.empty()) return true;
  if (!stop_)
    say(line_, Tone::error,
        {"the run ended before all pictures were done: " + end.error.text, end.error.hints});
  return false;
}

bool end_watch(bool all_is_done) {
  int none = 0;
  if (!signal_number.compare_exchange_strong(none, is_over) && all_is_done) signal_number = is_over;
  return signal_number != is_over;
}

int exit_code_of_run(bool is_whole) {
  if (const int number = signal_number; number > 0) return 128 + number;
  return is_whole ? 0 : 1;
}

}  // namespace qturn
