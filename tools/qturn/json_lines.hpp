// Where the machine-readable lines go: standard output, or a file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/plan/plan.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

// The machine-readable lines: one JSON object per line (JSON Lines, UTF-8).
// src/files/json_names.hpp says how they hold names that are not UTF-8.

/// The members: input, output, orientation, applied, width, height, route, lossy, seconds, status,
/// message, warnings; and label, masks, sidecars and labels_in if there are any.
std::string json_line(const Outcome& outcome);

/// An output that exists and was skipped: input, output, status "skipped", message.
std::string json_line(const Skipped& skipped);

/// What a run without --dry-run would do. It has fewer members than the line of an outcome.
std::string json_line_planned(const Outcome& outcome);

/// What `check` found: input, status "agrees", "disagrees" or "failed", findings, message.
std::string json_line_checked(const std::filesystem::path& input,
                              const std::vector<std::string>& findings, const std::string& failure);

/// What `check --against` found: input, status as above, the turn of its pixels, message.
std::string json_line_compared(const Outcome& outcome);

/// The FILE of --json or --html, which must not be a file that the run reads or writes otherwise.
class ReportPlace {
 public:
  /// Both throw PlanError if the command line names the file for another purpose.
  static ReportPlace json(const CommandLine& line);
  static ReportPlace html(const CommandLine& line);

  /// Throws PlanError if `file` is this place, because the lines would replace it.
  void refuse(const std::filesystem::path& file) const;
  /// The same for all inputs and outputs of a plan.
  void refuse(const Plan& plan) const;
  /// The same for a file that exists and is not an HTML page. Not all files that are read are known
  /// beforehand, such as the YAML files of data sets.
  void refuse_all_but_pages() const;

 private:
  /// `file`: empty if there is none.
  ReportPlace(std::string option, const std::string& file);
  void refuse_read_by(const CommandLine& line) const;

  std::string option_;
  std::filesystem::path wanted_;  // absolute and normal; empty: there is no such file
  std::optional<FileId> id_;      // if it exists
};

class JsonLines {
 public:
  /// Opens --json's FILE; throws PlanError if that fails. Without --json there are no lines.
  explicit JsonLines(const CommandLine& line);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  /// Writes the line that `make()` returns. Without --json it is not called.
  template <typename Make>
  void put(Make make) {
    if (file_) write(make());
  }

  bool is_standard_output() const { return file_ == stdout; }

  /// Ends the file. False if some lines could not be written; a message says so.
  bool finish();

 private:
  void write(const std::string& line);

  std::FILE* file_ = nullptr;
  std::string name_;
  int error_ = 0;  ///< of the last line that could not be written
};

}  // namespace qturn
