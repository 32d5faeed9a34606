// Results that take the place of what they are made of.
#pragma once

#include "src/files/real_places.hpp"
#include "src/plan/companion_files.hpp"
#include "src/plan/file_list.hpp"
#include "src/plan/options.hpp"

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

}  // namespace qturn
