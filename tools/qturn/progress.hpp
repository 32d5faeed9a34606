// How far a run is: on a terminal a bar that is drawn again; in a log a line every so often, if
// --progress asks for it. SIGUSR1 asks for one line at any time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

class Progress {
 public:
  /// `outputs` and `bytes`: of all inputs together; 0 if that is not known.
  Progress(const CommandLine& line, std::uint64_t outputs, std::uint64_t bytes);

  void add(const Outcome& outcome);
  /// Takes the bar away, until the lock is gone.
  [[nodiscard]] std::unique_lock<std::mutex> pause();
  /// Takes the bar away, and draws no other.
  void end();

  std::uint64_t pixels() const { return pixels_; }
  double seconds() const;

 private:
  void watch(const std::stop_token& stop);
  /// Whether SIGUSR1, or the time since the last line, asks for a line. The time counts up to the
  /// end, so a run that ends between two looks of the watcher has its line, too.
  bool is_asked_for();
  std::string in_words(std::size_t width) const;

  const bool draws_bar_;
  const std::chrono::seconds interval_;  // between the lines of a log; 0: none
  const std::uint64_t outputs_, bytes_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_ =
      start_ + interval_;  // of the watcher, then of end()

  std::mutex mutex_;  // guards what follows from the thread that draws
  std::uint64_t finished_ = 0, failed_ = 0, pixels_ = 0, bytes_done_ = 0;
  bool is_drawn_ = false;
  std::jthread watcher_;
};

}  // namespace qturn
