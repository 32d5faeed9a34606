// The YAML file of a data set, as Ultralytics reads it: the paths in it. Its keypoints are in
// yolo.hpp.
//
//   path: ../datasets/coco8       the root, which may be missing: the file's own folder
//   train: images/train           below the root: a folder, a list of pictures (.txt), or several
//   val: [images/val, more.txt]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qturn {

struct DataSetPath {
  std::string_view key;   ///< path, train, val, test
  std::string_view text;  ///< as it is written, with its quotes: a part of the file's text
  std::string value;
};

/// Whether a text is the YAML file of a data set: it has `names`, and `train` or `val`.
bool is_data_set(std::string_view text);

/// The paths that are not empty. Throws LabelError for one of another form than above.
std::vector<DataSetPath> data_set_paths(std::string_view text);

}  // namespace qturn
