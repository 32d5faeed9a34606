// Which label file belongs to which picture, and where its turned copies go.
//
//   beside the picture     x/a.jpg          x/a.txt, x/a.xml, x/a.json
//   Ultralytics' layout    images/x/a.jpg   labels/x/a.txt   the last folder called images counts
//   Pascal VOC's layout    JPEGImages/a.jpg Annotations/a.xml
//   DOTA                   images/a.png     labelTxt/a.txt
//   Supervisely            img/a.jpg        ann/a.jpg.json
//   Cityscapes             leftImg8bit/x/a_leftImg8bit.png   gtFine/x/a_gtFine_polygons.json
//   KITTI                  image_2/a.png    label_2/a.txt
//
// Case does not matter: A.JPG finds a.txt, and Images finds Labels. A turned label keeps its place
// relative to its picture. If the folder images is not below the input, as for the input
// data/images/train, that would be outside of the output. Then the label goes beside its picture,
// where Ultralytics looks for it unless the output's own path has a folder called images (or
// JPEGImages), which is refused.
#pragma once

#include "src/companions/companion_files.hpp"
#include "src/inputs/file_list.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/name_list.hpp"
#include "src/inputs/options.hpp"
#include "src/inputs/output_names.hpp"
#include "src/labels/swap_pairs.hpp"

namespace qturn {

/// What --swap-pairs says; nothing without it. Throws PlanError if it cannot be read.
SwapPairs swap_pairs_of(const PlanOptions& options);

/// What --keypoints and --swap-pairs say about labels for which no YAML file says more. Throws
/// PlanError as swap_pairs_of().
LabelOptions labels_without_yaml(const PlanOptions& options);

/// Finds the labels that `options.labels` asks for. `names`: null if labels are only checked. Then
/// a copy can lie anywhere, and what a label says is looked at later. Reads folders, the YAML files
/// of data sets, and of each format the first label that is not empty. Beside pictures, a text is
/// not a label if no text there is of the format and it holds no coordinates: a caption, for
/// example. Throws PlanError for a picture with two labels, for a label whose copy would lie
/// outside of the output, for a file that is not a label of the format that its suffix promises,
/// and if none is found that was asked for.
CompanionFiles find_label_files(const PlanOptions& options, FoundFiles& found,
                                const OutputNames* names);

}  // namespace qturn
