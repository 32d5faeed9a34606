// Where each result goes, and every reason why it must not go there. All of it is known before the
// first picture is read.
#pragma once

#include <filesystem>

#include "src/companions/companion_files.hpp"
#include "src/companions/shared_labels.hpp"
#include "src/files/real_places.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"
#include "src/inputs/output_names.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {

/// Decides for each file of `options.shard` which of its outputs are to do, and which exist and are
/// kept, as `options.existing` says. With `options.sidecars` the same rules hold for the sidecars
/// that are written, except that none is refused if existing outputs are skipped or updated. A
/// label, a mask or a sidecar that the plan knows is one with its picture: an output is kept if
/// both are there, and where existing outputs are skipped, one without the other is refused.
///
/// Throws PlanError if an output could not be written, is an input, lies inside an input folder
/// (where the next run would read it), occurs twice, in whichever shard, or exists and is refused.
/// Files are compared by device and inode, folders with their links followed.
///
/// `places` receives where the outputs are.
void place_outputs(const PlanOptions& options, const OutputNames& names,
                   const CompanionFiles::All& companions, FoundFiles& found, RealPlaces& places);

// In place each result replaces the file that it is made from.

/// Makes each file its own output; for a symbolic link, its target. A file that was found under two
/// names is done once. Companions are turned with their pictures.
///
/// Throws PlanError for a picture or a companion with hard links, unless `options.break_links`; for
/// a label or a mask that would be turned twice, with two pictures, or not at all, because its
/// picture is turned under another name; for a companion whose backup would lie outside of
/// `options.backup`; and, unless `options.follow`, for a companion behind a symbolic link that does
/// not lead to its picture as well. The same for `shared` files, also for one outside of the input,
/// or of the input that holds its pictures.
///
/// `places` receives where the files are.
void place_in_place(const PlanOptions& options, const CompanionFiles::All& companions,
                    const SharedLabels& shared, FoundFiles& found, RealPlaces& places);

/// Checks that the originals fit where a run keeps them, as if every picture were replaced. `run`:
/// the folder of the run, with the originals that it has kept already. Throws PlanError if there is
/// too little room for the originals that must be copied, because they lie on another file
/// system.
void refuse_full_backup(const JobList& jobs, const std::filesystem::path& run);

}  // namespace qturn
