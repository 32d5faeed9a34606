// Where each result goes, and every reason why it must not go there. All of it is known before the
// first picture is read.
#pragma once

#include "src/companions/companion_files.hpp"
#include "src/files/real_places.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"
#include "src/inputs/output_names.hpp"

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

}  // namespace qturn
