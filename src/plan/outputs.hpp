// Where each result goes, and every reason why it must not go there. All of it is known before the
// first picture is read.
#ifndef QTURN_SRC_PLAN_OUTPUTS_HPP
#define QTURN_SRC_PLAN_OUTPUTS_HPP

#include "src/plan/find_files.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {

/// Gives the jobs their outputs under `options.output`; `plan.jobs[i]` is of `found.files[i]`.
///
/// The output is a file if one file is the only input and `options.output` has a picture's suffix
/// and is no folder; else it is a folder, and a result goes to its key below it. With
/// `options.format` a picture's suffix becomes that format's, unless it promises that format
/// already. What exists already is treated as `options.existing` says; a job that has no output
/// left is removed.
///
/// Throws PlanError where an output could not be written, is an input, lies inside an input folder
/// (where the next run would read it), is there twice, or exists and is refused. Files are compared
/// by device and inode, folders with their links followed.
void place_outputs(const PlanOptions& options, const FoundFiles& found, Plan& plan);

/// Makes each job's input its output, a symbolic link's target if it is one. A file that was found
/// under two names is one job.
///
/// Throws PlanError for files with hard links, unless `options.break_links`.
void place_in_place(const PlanOptions& options, const FoundFiles& found, Plan& plan);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_OUTPUTS_HPP
