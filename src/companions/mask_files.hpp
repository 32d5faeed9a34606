// Which masks belong to which picture, and where their turned copies go. A mask is a picture of its
// own format, with a value for each pixel of the picture. There can be several.
//
//   beside the picture       x/a.jpg            x/a_mask.png, also -mask, .mask and a_mask_1
//   beside its folder        images/x/a.jpg     masks/x/a.png, or a_mask.png
//   Pascal VOC               JPEGImages/a.jpg   SegmentationClass/a.png, SegmentationObject/a.png
//   named after its folder   train/a.jpg        train_masks/a_mask.gif
//                            train/a.jpg        annotations/panoptic_train/a.png, of COCO
//   NumPy's arrays           x/a.jpg            x/a.npy, x/a.depth.npy
//                            images/x/a.jpg     depth/x/a.npy, and as above
//
// Case does not matter. A turned mask keeps its place relative to its picture, so what finds one
// finds the other. If the folder images is not below the input, that would be outside of the
// output. Then it goes to masks/ below the output.
#pragma once

#include "src/companions/companion_files.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

/// The masks of pictures, as `options.masks` says. Marks those that are among `found.files`. Throws
/// PlanError for a JPEG, which is not exact, and if none is found in a folder that was named.
CompanionFiles find_mask_files(const PlanOptions& options, FoundFiles& found);

}  // namespace qturn
