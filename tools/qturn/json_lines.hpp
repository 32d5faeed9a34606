// Where the machine-readable lines go: standard output, or a file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// The FILE of --json or --html, which must not be a file that the run reads or writes otherwise.
class ReportPlace {
 public:
  /// They throw PlanError if it is a file that the command line names for another purpose.
  static ReportPlace json(const CommandLine& line);
  static ReportPlace html(const CommandLine& line);

  /// Throws PlanError if it is this file, because the lines would replace it.
  void refuse(const std::filesystem::path& file) const;
  /// The same for all inputs and outputs of a plan.
  void refuse(const Plan& plan) const;
  /// The same for a file that exists and is not an HTML page. Not all that is read is known
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
  int error_ = 0;  ///< of the line that could not be written last
};

}  // namespace qturn
