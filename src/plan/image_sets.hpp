// The lists in ImageSets of a Pascal VOC data set, beside JPEGImages: ImageSets/Main/train.txt. A
// line has the name of a picture without its suffix, and perhaps more, such as whether a class is
// in it
// ("2008_000002 -1"). Turned, a list has such a line for each variant.
#pragma once

#include "src/plan/data_sets.hpp"
#include "src/plan/file_list.hpp"
#include "src/plan/listings.hpp"
#include "src/plan/output_names.hpp"

namespace qturn {

/// Adds those that name pictures of the run. Throws PlanError for a list that cannot be read, and
/// for a name that two pictures have.
void find_image_sets(const FileList& files, Listings& listings, const OutputNames& names,
                     DataSets& found);

}  // namespace qturn
