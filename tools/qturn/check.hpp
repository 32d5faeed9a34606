// qturn check: decodes pictures to find damage, and compares what their metadata and labels say.
// Findings go to standard output.
#pragma once

#include <cstddef>
#include <span>

#include "src/plan/find_files.hpp"
#include "src/plan/jobs.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json_lines.hpp"

namespace qturn {

/// Pictures that are read, and written nowhere.
struct CheckJobs {
  const FileList& files;
  bool quick = false;  ///< pixels are not decoded

  std::size_t size() const { return files.size(); }
  Job operator[](std::size_t index) const {
    // A file that is taken as it is, is not decoded.
    return {.number = index,
            .input = files.path(files[index]),
            .key = files.key(files[index]),
            .file_bytes = files[index].bytes,
            .outputs = {{}},
            .copy_verbatim = quick};
  }
};

/// The pictures of the inputs. A file that is named and is none is among the unreadable. Throws
/// PlanError if one lies at one of the places.
FoundFiles pictures_to_check(const PlanOptions& inputs, std::span<const ReportPlace> places);

/// The program's exit status: 0 if nothing was found, 1 if some disagree or cannot be read. Throws
/// PlanError where there is nothing to check.
int check_pictures(const CommandLine& line, const PlanOptions& inputs);

}  // namespace qturn
