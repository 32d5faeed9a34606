// qturn check: decodes pictures to find damage, and compares what their metadata and labels say.
// Findings go to standard output.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "src/check/label_check.hpp"
#include "src/inputs/find_files.hpp"
#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_pages.hpp"

namespace qturn {

// The labels of `qturn check --labels`: where they are, and how findings are printed.

class LabelsToCheck {
 public:
  /// Finds the labels of the files as augment does, and marks masks among them. Throws PlanError if
  /// there are none, or if they cannot be found.
  /// `to_show` receives the findings.
  LabelsToCheck(const CommandLine& line, const PlanOptions& inputs, FoundFiles& found,
                FindingsToShow& to_show);

  /// Throws PlanError if --json or --html would write in the place of a label.
  void refuse(const ReportPlace& place) const;

  LabelCheck& check() { return check_; }
  void report(LabelFinding finding, JsonLines& json);
  /// When all pictures are checked: reports the rest, and prints the summary.
  void finish(JsonLines& json);
  /// How many findings say that something is wrong.
  std::uint64_t wrong() const { return wrong_; }

 private:
  void print_summary() const;

  const CommandLine& line_;
  const FileList& files_;
  const CompanionFiles masks_, labels_;
  LabelCheck check_;
  std::array<std::uint64_t, label_fault_count> counts_ = {};
  std::uint64_t wrong_ = 0;
  FindingsToShow& to_show_;
};

/// Pictures that are read, and written nowhere.
struct CheckJobs {
  const FileList& files;

  std::size_t size() const { return files.size(); }
  Job operator[](std::size_t index) const {
    return {.number = index,
            .input = files.path(files[index]),
            .key = files.key(files[index]),
            .file_bytes = files[index].bytes,
            .outputs = {{}}};
  }
};

/// The pictures of the inputs. A named file that is not a picture is among the unreadable. Throws
/// PlanError if a picture lies at one of the places.
FoundFiles pictures_to_check(const PlanOptions& inputs, std::span<const ReportPlace> places);

/// The program's exit status: 0 if nothing was found, 1 if some disagree or cannot be read. Throws
/// PlanError where there is nothing to check.
int check_pictures(const CommandLine& line, const PlanOptions& inputs);

/// The same of the pictures in tars, and the XMP files of their samples.
int check_tars(const CommandLine& line, PlanOptions inputs);

}  // namespace qturn
