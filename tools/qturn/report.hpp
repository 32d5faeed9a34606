// What the user sees: messages if something goes wrong, progress, JSON for programs, and a summary
// at the end.
#pragma once

#include <array>
#include <exception>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/dataset/shared_files.hpp"
#include "src/plan/plan.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/progress.hpp"

namespace qturn {

/// A path for a terminal, in a form that cannot control it: controls, characters that change the
/// direction of text, and bytes that are not UTF-8 are written as \xNN or \uNNNN.
std::string printable(std::string_view path);

/// "1 picture", "2 pictures".
std::string counted(std::uint64_t count, const char* one, const char* many);

/// Warns that a mirror turns left into right, if classes are named left or right.
void warn_of_sides(const std::set<std::string>& sides);

/// "rotate90, re-encoded without loss": what is done to a picture, and how. "copied": another file.
std::string turn_in_words(const CommandLine& line, const Outcome& outcome);

/// The beginning of a line, in colour on a terminal: "error: ". A note has none.
enum class Tone : std::uint8_t { note, hint, warning, error };

/// "qturn: error: MESSAGE", and the end of the line.
std::string line_of(Tone tone, std::string_view message);

/// Prints such a line on standard error, and one with a hint unless that is empty.
void print_message(std::string_view message, Tone tone = Tone::note, std::string_view hint = {});

/// Prints a sentence and its hints, in a line each.
void say(const CommandLine& line, Tone tone, const Sentence& sentence);

/// Prints why something failed.
void say_why(const CommandLine& line, const std::exception& error);

/// Prints each of them as a warning.
void say_warnings(const std::vector<std::string>& warnings);

/// Says that the run, or the shard, has nothing left to do. Returns the exit status.
int say_is_done(const CommandLine& line);

/// Prints why files are not written, and warnings. Returns whether nothing is missing.
bool say_results(const FileResults& results);

/// Whether a picture is written, but not all that belongs to it. With --strict a warning before the
/// file is written is a failure. So if a picture is done, its warning came after it was written.
inline bool is_incomplete(const CommandLine& line, const Outcome& outcome) {
  return outcome.status == Status::done &&
         (!outcome.is_whole || (line.run.strict && !outcome.warnings.empty()));
}

class Report {
 public:
  /// `device` is the name of the device, for the summary. Opens --json's FILE; throws PlanError if
  /// that fails.
  Report(const CommandLine& line, const Plan& plan, std::string device);

  /// Adds an outcome. One call at a time.
  void add(const Outcome& of_run);

  /// Stops the progress line and prints the summary. `done`: the word for pictures that are done.
  /// `resumes`: whether --resume can go on with the run.
  void finish(bool interrupted, std::string_view done = "written", bool resumes = false);

  /// Ends the JSON lines, as JsonLines::finish() does, and returns whether all were written.
  bool json_is_whole() { return json_.finish(); }

  std::uint64_t failed() const {
    return count(Status::failed) + count(Status::rejected) + plan_.unreadable.size();
  }
  /// Pictures that were written in part.
  std::uint64_t salvaged() const { return count(Status::salvaged); }
  /// See is_incomplete().
  std::uint64_t incomplete() const { return incomplete_; }
  /// Outputs that have an outcome.
  std::uint64_t finished() const { return sum(pictures_) + sum(others_); }

 private:
  using Counts = std::array<std::uint64_t, static_cast<std::size_t>(Status::rejected) + 1>;
  static std::uint64_t sum(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }
  std::uint64_t count(Status status) const {
    const auto number = static_cast<std::size_t>(status);
    return pictures_[number] + others_[number];
  }
  void print_losses() const;
  std::string done_in_words(bool interrupted, std::string_view done) const;
  void print_others() const;
  /// A line about a file, and one with a hint. Empty if the same was said before, as for another
  /// variant, or if enough files were named with this reason. Reasons that differ only in numbers
  /// are one.
  std::string lines_about(const std::string& input, Tone tone, const Advice& reason);

  /// A reason of more files than are named.
  struct Many {
    std::size_t reason = 0;  // its hash
    Tone tone = Tone::note;
    std::string example;
  };

  const CommandLine& line_;
  const Plan& plan_;
  const std::string device_;
  JsonLines json_;
  Progress progress_;
  Counts pictures_ = {}, others_ = {};      // others: the copies of --others copy
  std::array<std::uint64_t, 7> ways_ = {};  // of pictures that are done, as in turn_in_words()
  std::uint64_t left_as_lossy_ = 0, left_as_there_ = 0;  // skipped pictures
  std::uint64_t incomplete_ = 0;
  std::uint64_t companions_[3] = {};                        // that were written, by CompanionKind
  std::set<std::string> sides_;                             // as Outcome::sides
  std::unordered_set<std::size_t> said_;                    // hashes of lines
  std::unordered_map<std::size_t, std::uint32_t> reasons_;  // files, by hashes of reasons
  std::vector<Many> many_;
  std::uint64_t lossy_jpegs_ = 0, lossy_others_ = 0;  // that nobody asked for
  std::uint64_t lossy_asked_ = 0;                     // because of --format
  std::uint64_t left_jpegs_ = 0;                      // in place, by default
  std::uint64_t unknown_ = 0;                         // that keep unknown parts
  std::uint64_t stale_ = 0;                           // with metadata that is no longer true
};

}  // namespace qturn
