// What the user sees: messages when something goes wrong, a line of progress, JSON for programs,
// and a summary at the end.
#ifndef QTURN_TOOLS_QTURN_REPORT_HPP
#define QTURN_TOOLS_QTURN_REPORT_HPP

#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <vector>

#include "src/dataset/shared_files.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/outcome.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {

/// A path for a terminal, which it cannot control: controls, characters that change the direction
/// of text, and what is not UTF-8 are written as \xNN or \uNNNN.
std::string printable(std::string_view path);

/// "1 picture", "2 pictures".
std::string counted(std::uint64_t count, const char* one, const char* many);

/// A warning that a mirror makes the other one of classes that are left or right; empty for none.
std::string sides_in_words(const std::set<std::string>& sides);

/// Prints "qturn: MESSAGE" on standard error.
void print_message(std::string_view message);

/// Prints why something failed.
void say_why(const CommandLine& line, const std::exception& error);

/// Prints each of them as a warning.
void say_warnings(const std::vector<std::string>& warnings);

/// Prints why files are not written, and warnings. Returns whether they are whole.
bool say_results(const FileResults& results);

/// Whether a run did not end early. Prints what is to be said about it as a whole.
bool is_whole(const CommandLine& line, const RunEnd& end);

class Report {
 public:
  /// `device` is the name of the device, for the summary. Opens --json's FILE; throws PlanError if
  /// that fails.
  Report(const CommandLine& line, const Plan& plan, std::string device);

  /// Adds an outcome. One call at a time.
  void add(const Outcome& of_run);

  /// Stops the progress line and prints the summary. `done`: what became of pictures that are done.
  /// `resumes`: whether --resume can go on with the run.
  void finish(bool interrupted, std::string_view done = "written", bool resumes = false);

  /// Ends the JSON lines, as JsonLines::finish() does, and returns whether all were written.
  bool json_is_whole() { return json_.finish(); }

  std::uint64_t failed() const { return failed_ + plan_.unreadable.size(); }
  /// Pictures of which only a part was written.
  std::uint64_t salvaged() const { return salvaged_; }
  /// Pictures that were written, but not with all that belongs to them; with --strict also those
  /// that something else is to be said of.
  std::uint64_t incomplete() const { return incomplete_; }
  /// The number of outputs. For tars, the number of those that are known so far.
  std::uint64_t outputs() const {
    return plan_.jobs.empty() ? finished() : plan_.jobs.output_count();
  }
  std::uint64_t finished() const { return done_ + done_before_ + skipped_ + failed_; }

 private:
  void watch(const std::stop_token& stop);
  void draw(bool terminal);
  std::string progress(std::size_t width) const;
  void print_losses() const;
  std::string done_in_words(std::string_view done) const;
  void print_others() const;
  /// Empty if that was said before, as of another variant of the picture.
  std::string once(std::string line);

  const CommandLine& line_;
  const Plan& plan_;
  const std::string device_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();

  JsonLines json_;

  std::mutex mutex_;  // guards what follows from the thread that draws the progress
  std::uint64_t done_ = 0, done_before_ = 0, skipped_ = 0, failed_ = 0, pixels_ = 0, work_done_ = 0;
  std::uint64_t routes_[route_count] = {};
  std::uint64_t salvaged_ = 0;
  std::uint64_t rejected_ = 0;  // of those that failed
  std::uint64_t incomplete_ = 0;
  std::uint64_t companions_[3] = {};                  // that were written, by CompanionKind
  std::uint64_t others_ = 0, others_written_ = 0;     // what --others copy copies
  std::set<std::string> sides_;                       // as Outcome::sides
  std::unordered_set<std::size_t> said_;              // hashes of lines
  std::uint64_t lossy_jpegs_ = 0, lossy_others_ = 0;  // that nobody asked for
  std::uint64_t lossy_asked_ = 0;                     // because of --format
  std::uint64_t left_jpegs_ = 0;                      // in place, by default
  std::uint64_t stale_ = 0;                           // whose metadata is not all true any more
  bool line_is_drawn_ = false;
  std::jthread watcher_;
};

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_REPORT_HPP
