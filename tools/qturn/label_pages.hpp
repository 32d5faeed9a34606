// The pages of --html: pictures with their labels drawn over them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "src/check/label_check.hpp"
#include "src/plan/plan.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// The findings about as many pictures as a page shows. Errors come before notes that are only
/// worth knowing.
class FindingsToShow {
 public:
  void add(const LabelFinding& finding);
  /// A sentence about the picture with this number that says that something is wrong.
  void add(std::size_t picture, const std::string& wrong);

  using Sentences = std::vector<std::string>;
  const std::map<std::size_t, Sentences>& wrong() const { return wrong_; }
  const std::map<std::size_t, Sentences>& notes() const { return notes_; }

 private:
  std::map<std::size_t, Sentences> wrong_, notes_;  // by the number of the picture
};

/// Writes the page of `check --html`: up to 200 of these pictures, first all with findings, and
/// their labels unless `check` is null. False, and a message, if it cannot be written.
bool write_check_page(const CommandLine& line, const FileList& files, const LabelCheck* check,
                      const FindingsToShow& findings);

/// Writes the page of `augment --html`: up to 50 pictures with all variants that were written now
/// or before. `written`: by the numbers of files. False, and a message, if it cannot be written.
bool write_augment_page(const CommandLine& line, const Plan& plan,
                        const std::vector<OrientationSet>& written);

}  // namespace qturn
