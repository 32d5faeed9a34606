// Finds files that lie where labels and masks of pictures do, and would not be turned with them:
// foreign_labels.hpp finds those that say what they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>

#include "src/plan/jobs.hpp"

namespace qturn {

enum class Variants : std::uint8_t { alike, drawn_for_each };

/// The first label or mask that is found and is not one of `plan.jobs.companions()` or
/// `shared_labels()`. Case does not matter.
///
/// - Any file that is not itself turned, now or by an earlier run, in a folder of labels or masks,
///   such as labels, Annotations, SegmentationClass or train_masks. In a folder of labels
///   that are turned, others, lists, caches and YAML files may also lie, in one of masks others.
/// - A mask among the pictures, by its folder or by its name (a_mask.png), if `variants` are drawn
///   for each picture: a mask would get another variant than its picture. Also if something could
///   not be looked into: its picture may be there.
///
/// Looks in the folders of pictures, in the folders above them up to the input's parent, and in the
/// parents of folders that are called images: images/train/a.jpg finds labels/train.
///
/// `looks_for_masks`: false if masks are pictures like others.
std::optional<std::filesystem::path> find_unturned_label(const Plan& plan, Variants variants,
                                                         bool looks_for_masks = true);

/// What trainers keep of the labels that a run writes, in their folder or beside it: Ultralytics'
/// labels.cache. They go on with the labels as they were before.
std::set<std::filesystem::path> find_label_caches(const JobList& jobs);

}  // namespace qturn
