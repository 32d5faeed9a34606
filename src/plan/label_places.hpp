// Where labels of pictures may lie that are not named after them.
#ifndef QTURN_SRC_PLAN_LABEL_PLACES_HPP
#define QTURN_SRC_PLAN_LABEL_PLACES_HPP

#include <filesystem>
#include <set>
#include <string>

#include "src/plan/file_list.hpp"

namespace qturn {

/// Adds the folder of pictures, those above it up to the parent of the input, and the parents of
/// folders that are called images. Absolute and normal.
void add_label_places(const FileList::Folder& pictures, std::set<std::filesystem::path>& places);

/// Whether a folder belongs by its name to one of pictures beside it: labels, annotations and ann
/// to any, label_2 to image_2, train_labels to train, and not dogs_labels to cats.
bool are_labels_of(const std::string& folder, const std::string& pictures);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_LABEL_PLACES_HPP
