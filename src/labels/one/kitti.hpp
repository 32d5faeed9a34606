// KITTI labels: a text file for each picture, a line for each object:
//
//   type truncated occluded alpha left top right bottom height width length x y z rotation_y
//   [score]
//
// left to bottom are a box by the numbers of its first and last pixels, from 0: boxes at the edges
// of a picture of 1242 x 375 end at 1241 and 374. What follows them, and alpha, is where the object
// is in front of the camera. A turned picture is not one of that camera, so a label with such
// values is refused.
#pragma once

#include <memory>
#include <string_view>

#include "src/labels/one/label.hpp"

namespace qturn {

/// Whether a text begins like such a label, in 3D or not.
bool is_any_kitti(std::string_view text);
/// The same, and nothing says where its objects are in front of the camera.
bool is_flat_kitti(std::string_view text);

/// `text` must outlive the result.
std::unique_ptr<ParsedLabel> parse_kitti(std::string_view text);

/// The boxes of a label, and lines that are not of the form above.
LabelContent read_kitti(std::string_view text);

}  // namespace qturn
