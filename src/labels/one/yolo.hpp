// YOLO labels: a text file for each picture, a line for each object, with coordinates from 0 to 1
// of the width and the height.
//
//   class x y width height [confidence]                 a box, by its centre
//   class x1 y1 x2 y2 x3 y3 ... [confidence]            a polygon; an oriented box has four points
//   class x y width height x1 y1 [v1] ... [confidence]  a box with keypoints
//
// A line alone does not tell a polygon from a box with keypoints: 9 columns are four points, or a
// box and two points. Ultralytics knows from the task: keypoints have a kpt_shape in the data set's
// YAML file. So does this: without such a file, a line of more than 6 columns is refused.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/labels/label_shapes.hpp"
#include "src/labels/swap_pairs.hpp"

namespace qturn {

/// The keypoints of each object of a data set.
struct Keypoints {
  int count = 0;               ///< 0: objects have none
  int values = 0;              ///< of each: 2 (x y) or 3 (x y visibility)
  std::vector<int> flip = {};  ///< their order in a mirror (flip_idx); may be empty
  bool operator==(const Keypoints&) const = default;
};

/// "none", or the number of keypoints and of values for each, such as "17x3". Nothing for any other
/// text.
std::optional<Keypoints> parse_keypoints(std::string_view text);

/// Whether a text begins like a YOLO label: with a number, in a line whose words are mostly
/// numbers. An empty one does. "2 dogs" is a caption.
bool is_yolo(std::string_view text);

/// The label of the turned picture. Only numbers change, and keypoints change places where the
/// picture is mirrored; blanks, ends of lines, comments from '#', and confidences stay. A keypoint
/// 0 0 0 says that there is none and stays too.
///
/// `keypoints`: nothing if it is not known whether there are any. `swap`: numbers of classes.
/// Throws LabelError for a line that is not of a form above, for a coordinate outside of 0 to 1,
/// and for keypoints without `flip` if `orientation` mirrors.
std::string turn_yolo(std::string_view text, Orientation orientation,
                      const std::optional<Keypoints>& keypoints,
                      const ClassSwap& swap = no_classes);

/// The shapes of a label, and lines that are not of a form above. They may lie outside.
LabelContent read_yolo(std::string_view text, const std::optional<Keypoints>& keypoints);

/// The names of classes, by the numbers of the classes.
using ClassNames = std::map<std::int64_t, std::string>;

/// The names of classes, as the YAML file of a data set says them (names). None if
/// it does not say them, or in a form that this does not know.
ClassNames read_class_names(std::string_view text);

/// What the YAML file of a data set says (kpt_shape, flip_idx). Nothing if the text is of another
/// kind. Throws LabelError.
std::optional<Keypoints> read_data_yaml(std::string_view text);

}  // namespace qturn
