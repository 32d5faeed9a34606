// What the user is told: messages as things go wrong, a line of progress meanwhile, JSON for
// programs, a summary last.
#ifndef QTURN_TOOLS_QTURN_REPORT_HPP
#define QTURN_TOOLS_QTURN_REPORT_HPP

#include <chrono>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/plan/jobs.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {

/// A path for a terminal: control characters are written as \xNN, so that a name cannot draw on the
/// screen.
std::string printable(std::string_view path);

/// Prints "qturn: MESSAGE" on standard error.
void print_message(std::string_view message);

class Report {
 public:
  /// `device` is what the pictures are turned on, for the summary. Opens --json's FILE; throws
  /// PlanError if it cannot.
  Report(const CommandLine& line, const Plan& plan, std::string device);

  /// An outcome arrived. One call at a time.
  void add(const Outcome& outcome);

  /// Stops the progress line and prints the summary.
  void finish(bool interrupted);

  /// The outputs of an augmentation that were written.
  const std::vector<Outcome>& written() const { return written_; }

  /// As JsonLines::finish().
  bool json_is_whole() { return json_.finish(); }

  std::uint64_t failed() const { return failed_ + plan_.unreadable.size(); }
  /// With --strict, pictures that were written and not all that belongs to them.
  std::uint64_t incomplete() const { return incomplete_; }
  std::uint64_t finished() const { return done_ + skipped_ + failed_; }

 private:
  void watch(const std::stop_token& stop);
  void draw(bool terminal);
  std::string speed(double seconds) const;

  const CommandLine& line_;
  const Plan& plan_;
  const std::string device_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::uint64_t outputs_ = 0;

  JsonLines json_;

  std::mutex mutex_;  // guards what follows, against the thread that draws the progress
  std::uint64_t done_ = 0, skipped_ = 0, failed_ = 0, pixels_ = 0, work_done_ = 0, work_ = 0;
  std::uint64_t routes_[route_count] = {};
  std::uint64_t by_nvjpeg_ = 0, incomplete_ = 0;
  std::vector<Outcome> written_;
  bool line_is_drawn_ = false;
  std::jthread watcher_;
};

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_REPORT_HPP
