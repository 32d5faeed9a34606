// Finds labels of formats, or in places, that are not turned with their pictures. If only the
// pictures were turned, the data set would be wrong, and nothing would show it.
#pragma once

#include <optional>

#include "src/plan/jobs.hpp"
#include "src/plan/suspected_label.hpp"

namespace qturn {

/// The first by its path of each folder. Looks at the texts and NumPy arrays that are not
/// excluded, of the plan's jobs none:
///
/// - in the folders of the inputs or of the files that were named, also in those without pictures,
///   and in those that symbolic links there lead to;
/// - in the folders above the pictures up to the parent of the input, and beside folders that are
///   called images;
/// - there also below the folders that belong to a folder of pictures by their names (label_2 to
///   image_2, train_labels to train, ann to img).
std::optional<LabelSuspicion::Label> find_foreign_label(const PlanOptions& options,
                                                        const Plan& plan);

}  // namespace qturn
