// Finds labels beside pictures. Labels are not turned yet, and a data set whose pictures are turned
// and whose labels are not is ruined in silence: so augmentation looks for them first.
#ifndef QTURN_SRC_PLAN_LABELS_HPP
#define QTURN_SRC_PLAN_LABELS_HPP

#include <filesystem>
#include <optional>
#include <vector>

#include "src/plan/jobs.hpp"

namespace qturn {

/// The first label that is found: a file of a picture's stem beside it (.txt YOLO, .xml Pascal VOC,
/// .json LabelMe), a folder `labels` or a COCO file (JSON with "images" and "annotations") in a
/// picture's folder, an input folder, or its parent's `annotations` folder.
std::optional<std::filesystem::path> find_label(const std::vector<Job>& jobs,
                                                const std::vector<std::filesystem::path>& inputs);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_LABELS_HPP
