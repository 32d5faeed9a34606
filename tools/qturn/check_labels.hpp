// The labels of `qturn check --labels`: where they are, and how findings are printed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "src/check/label_check.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_pages.hpp"

namespace qturn {

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
  /// When all pictures are checked: the rest, and the summary.
  void finish(JsonLines& json);
  /// How many findings say that something is wrong.
  std::uint64_t wrong() const { return wrong_; }

 private:
  void print_summary() const;

  const CommandLine& line_;
  const FileList& files_;
  const LabelFiles masks_, labels_;
  LabelCheck check_;
  std::array<std::uint64_t, label_fault_count> counts_ = {};
  std::uint64_t wrong_ = 0;
  FindingsToShow& to_show_;
};

}  // namespace qturn
