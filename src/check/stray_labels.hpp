// Labels and masks of which no picture is there.
#pragma once

#include <filesystem>
#include <set>

#include "src/companions/companion_files.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/listings.hpp"

namespace qturn {

/// Ascending. Looks in the folders where `labels`, or masks, of pictures lie. A picture counts that
/// is there but not among `files`, as one that --exclude leaves out. `shared`: files that are not
/// for one picture. A text among pictures counts if it looks like a label.
std::set<std::filesystem::path> find_stray_labels(const CompanionFiles& labels,
                                                  const FileList& files, Listings& listings,
                                                  const std::set<std::filesystem::path>& shared);

}  // namespace qturn
