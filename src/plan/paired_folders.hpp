// Folders whose pictures belong together by their names: rgb/0001.png and depth/0001.png. --random
// chooses for each path separately, so such pictures get different variants.
//
// Two folders are a pair if nine in ten of their stems are in both. Names that only count, as 1.jpg
// to 500.jpg in each folder of a class, make a pair only of folders that are called as ones that
// belong together are: rgb and depth, left and right, input and target.
#pragma once

#include <string>
#include <vector>

#include "src/plan/file_list.hpp"

namespace qturn {

/// Groups of folders, by their keys without '/' at the end.
std::vector<std::vector<std::string>> paired_folders(const FileList& files);

}  // namespace qturn
