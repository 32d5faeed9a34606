// Finds the masks and the sidecars of pictures. label_files.hpp finds their labels.
#pragma once

#include <functional>
#include <string>

#include "src/companions/companion_files.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

// Masks. sample/file_kind.hpp says which they are. A turned mask keeps its place relative to its
// picture, so what finds one finds the other. If the folder images is not below the input, that
// would be outside of the output. Then it goes to masks/ below the output.

/// The masks of pictures, as `options.masks` says. Marks those that are among `found.files`. Throws
/// PlanError for a JPEG, which is not exact, and if none is found in a folder that was named.
CompanionFiles find_mask_files(const PlanOptions& options, FoundFiles& found);

// Sidecars: files beside a picture with its stem that are neither pictures, masks nor labels. A
// turned picture gets its own.
//
//   x/a.jpg    x/a.caption, x/a.cls, x/a.json    copied
//              x/a.xmp, x/a.jpg.xmp, x/a.jgw     turned

enum class SidecarKinds : bool { all, world_files };

/// Finds the sidecars of all pictures, except files that `is_taken` is true of (absolute, normal
/// paths) and that --exclude leaves out. World files alone if labels are not turned. If labels of
/// one kind alone are, files that may be labels of another one are left alone. Marks those that are
/// among `found.files`.
CompanionFiles find_sidecar_files(const PlanOptions& options, FoundFiles& found, SidecarKinds kinds,
                                  const std::function<bool(const std::string&)>& is_taken);

}  // namespace qturn
