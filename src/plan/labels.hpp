// Finds labels and masks of pictures. They are not turned yet. If only the pictures were turned,
// the data set would be wrong, and nothing would show it. So augmentation looks for labels first.
#ifndef QTURN_SRC_PLAN_LABELS_HPP
#define QTURN_SRC_PLAN_LABELS_HPP

#include <cstdint>
#include <filesystem>
#include <optional>

#include "src/plan/jobs.hpp"

namespace qturn {

enum class Variants : std::uint8_t { alike, drawn_for_each };

/// The first label or mask that is found. Capitals make no difference.
///
/// - A file beside a picture, of the same stem: .txt (YOLO), .xml (Pascal VOC), .json (LabelMe).
/// - A COCO file: JSON with "images" and "annotations".
/// - A folder of labels or masks, such as labels, Annotations, SegmentationClass or train_masks,
///   that holds any file that is not itself turned, now or by an earlier run.
/// - A mask among the pictures, by its folder or by its name (a_mask.png), if `variants` are drawn
///   for each picture: a mask would get another variant than its picture.
///
/// Looks in the folders of pictures, in the folders above them up to the input's parent, and in the
/// parents of folders that are called images: images/train/a.jpg finds labels/train.
std::optional<std::filesystem::path> find_label(const Plan& plan, Variants variants);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_LABELS_HPP
