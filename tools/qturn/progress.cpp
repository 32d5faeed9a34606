#include "tools/qturn/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <new>
#include <string_view>
#include <system_error>

#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"
#include "tools/qturn/terminal.hpp"

namespace qturn {

namespace {

std::string duration(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// "[########............]"
std::string bar(double part) {
  constexpr std::size_t columns = 20;
  const auto done = static_cast<std::size_t>(part * columns);
  return "[" + std::string(done, '#') + std::string(columns - done, '.') + "]";
}

}  // namespace

Progress::Progress(const CommandLine& line, std::uint64_t outputs, std::uint64_t bytes)
    : draws_bar_(is_terminal(STDERR_FILENO) && !line.quiet && !line.dry_run),
      interval_(line.progress_seconds),
      outputs_(outputs),
      bytes_(bytes) {
  try {
    watcher_ = std::jthread([this](const std::stop_token& stop) {
      try {
        watch(stop);
      } catch (const std::bad_alloc&) {  // the pictures need the memory more than this line
      }
    });
  } catch (const std::system_error& error) {
    print_message("no progress is shown: " + error.code().message(), Tone::warning);
  }
}

void Progress::add(const Outcome& outcome) {
  const std::scoped_lock lock(mutex_);
  ++finished_;
  failed_ += has_failed(outcome.status) ? 1 : 0;
  pixels_ += outcome.pixels;
  bytes_done_ += outcome.file_bytes;
}

std::unique_lock<std::mutex> Progress::pause() {
  std::unique_lock lock(mutex_);
  if (is_drawn_) std::fputs("\r\033[K", stderr);
  is_drawn_ = false;
  return lock;
}

void Progress::end() {
  watcher_ = {};
  const auto lock = pause();
  if (is_asked_for()) print_message(in_words(std::string::npos));
}

bool Progress::is_asked_for() {
  const bool is_time =
      !draws_bar_ && interval_.count() > 0 && std::chrono::steady_clock::now() >= next_;
  if (is_time) next_ += interval_;
  return take_progress_request() || is_time;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::watch(const std::stop_token& stop) {
  std::mutex sleep_mutex;
  std::condition_variable_any sleeper;
  std::unique_lock sleep_lock(sleep_mutex);
  while (!sleeper.wait_for(sleep_lock, stop, std::chrono::milliseconds(200),
                           [&] { return stop.stop_requested(); })) {
    if (is_asked_for()) {
      const auto lock = pause();
      print_message(in_words(std::string::npos));
    }
    if (!draws_bar_) continue;
    const std::scoped_lock lock(mutex_);
    // A line that fills the terminal would be broken, and its beginning not drawn again.
    const std::string text = in_words(terminal_width(STDERR_FILENO) - 1);
    std::fputs(("\r" + text + "\033[K").c_str(), stderr);
    std::fflush(stderr);
    is_drawn_ = true;
  }
}

/// "12 of 300 pictures, 4 %, 1 failed, 10 s left, 34.0 MP/s", without what does not fit; with a bar
/// before it if there is space for one.
std::string Progress::in_words(std::size_t width) const {
  const double so_far = seconds();
  double part = 0;
  if (bytes_ > 0)
    part = static_cast<double>(bytes_done_) / static_cast<double>(bytes_);
  else if (outputs_ > 0)
    part = static_cast<double>(finished_) / static_cast<double>(outputs_);
  const bool is_wide = width != std::string::npos && width >= 60 && outputs_ > 0;
  std::string text = is_wide ? bar(part) + " " : "";
  text += outputs_ > 0
              ? fmt::format("{} of {}", finished_, counted(outputs_, "picture", "pictures"))
              : counted(finished_, "picture", "pictures");
  const auto add = [&](const std::string& more) {
    if (text.size() + 2 + more.size() <= width) text += ", " + more;
  };
  if (outputs_ > 0) add(fmt::format("{:.0f} %", std::floor(100 * part)));
  if (failed_ > 0) add(fmt::format("{} failed", failed_));
  if (part > 0 && so_far > 1) add(duration(so_far * (1 - part) / part) + " left");
  add(fmt::format("{:.1f} MP/s", static_cast<double>(pixels_) / 1e6 / so_far));
  return text.substr(0, width);
}

}  // namespace qturn
