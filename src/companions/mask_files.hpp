// Finds the masks of pictures (sample/file_kind.hpp says which they are), and says where their
// turned copies go. A turned mask keeps its place relative to its picture, so what finds one finds
// the other. If the folder images is not below the input, that would be outside of the output. Then
// it goes to masks/ below the output.
#pragma once

#include "src/companions/companion_files.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

/// The masks of pictures, as `options.masks` says. Marks those that are among `found.files`. Throws
/// PlanError for a JPEG, which is not exact, and if none is found in a folder that was named.
CompanionFiles find_mask_files(const PlanOptions& options, FoundFiles& found);

}  // namespace qturn
