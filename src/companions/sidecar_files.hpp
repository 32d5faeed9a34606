// The sidecars of pictures: files beside them with their stem that are neither pictures, masks nor
// labels. A turned picture gets its own.
//
//   x/a.jpg    x/a.caption, x/a.cls, x/a.json    copied
//              x/a.xmp, x/a.jpg.xmp, x/a.jgw     turned
#pragma once

#include <functional>
#include <string>

#include "src/companions/companion_files.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

enum class SidecarKinds : bool { all, world_files };

/// Finds the sidecars of all pictures, except files that `is_taken` is true of (absolute, normal
/// paths) and that --exclude leaves out. World files alone if labels are not turned. If labels of
/// one kind alone are, files that may be labels of another one are left alone. Marks those that are
/// among `found.files`.
CompanionFiles find_sidecar_files(const PlanOptions& options, FoundFiles& found, SidecarKinds kinds,
                                  const std::function<bool(const std::string&)>& is_taken);

}  // namespace qturn
