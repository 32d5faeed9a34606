// The sidecars of pictures: files beside them with their stem that are neither pictures, masks nor
// labels. A turned picture gets its own.
//
//   x/a.jpg    x/a.caption, x/a.cls, x/a.json    copied
//              x/a.xmp, x/a.jpg.xmp              turned
#ifndef QTURN_SRC_PLAN_SIDECAR_FILES_HPP
#define QTURN_SRC_PLAN_SIDECAR_FILES_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "src/plan/file_list.hpp"
#include "src/plan/label_files.hpp"
#include "src/plan/options.hpp"

namespace qturn {

/// False of a text of a kind that qturn does not know, and that may say where something is in its
/// picture, which a copy does not turn. Its start decides.
bool is_copied_safely(std::string_view text);

/// Those of all pictures, but for files that `is_taken` is true of (absolute, normal paths) and
/// that --exclude leaves out. None if labels are not turned. If labels of one kind alone are, files
/// that may be labels of another one are left alone. Marks those that are among `files`.
LabelFiles find_sidecar_files(const PlanOptions& options, FileList& files,
                              const std::function<bool(const std::string&)>& is_taken);

/// Whether a file may be a text that says where something is in a picture, which a copy would not
/// turn: not is_copied_safely(). True of one that cannot be read.
bool may_be_label_text(const std::filesystem::path& path);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_SIDECAR_FILES_HPP
