// Where labels of pictures may lie that are not named after them.
#ifndef QTURN_SRC_PLAN_LABEL_PLACES_HPP
#define QTURN_SRC_PLAN_LABEL_PLACES_HPP

#include <filesystem>
#include <set>

#include "src/plan/file_list.hpp"

namespace qturn {

/// Adds the folder of pictures, those above it up to the parent of the input, and the parents of
/// folders that are called images. Absolute and normal.
void add_label_places(const FileList::Folder& pictures, std::set<std::filesystem::path>& places);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_LABEL_PLACES_HPP
