// Results that take the place of what they are made of.
#pragma once

#include <filesystem>

#include "src/companions/companion_files.hpp"
#include "src/files/real_places.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/options.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {

/// Makes each file its own output; for a symbolic link, its target. A file that was found under two
/// names is done once. Companions are turned with their pictures.
///
/// Throws PlanError for files with hard links, and what belongs to them, unless
/// `options.break_links`; for a label or a mask that would be turned twice, with two pictures, or
/// not at all, because its picture is turned under another name; for one whose backup would lie
/// outside of `options.backup`; and, unless `options.follow`, for one that is reached through a
/// link that does not lead to its picture, too.
///
/// `places` receives where the files are.
void place_in_place(const PlanOptions& options, const CompanionFiles::All& companions,
                    FileList& files, RealPlaces& places);

/// Whether originals fit where a run keeps them. `run`: the folder of the run, with the originals
/// that it has kept already. Reckons as if every
/// picture were replaced. Throws PlanError if those that can only be copied there, from another
/// file system, need more room than there is.
void refuse_full_backup(const JobList& jobs, const std::filesystem::path& run);

}  // namespace qturn
