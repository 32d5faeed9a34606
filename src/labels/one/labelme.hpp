// LabelMe labels: a JSON file for each picture. Coordinates run from 0 to the width and the height;
// pixel 0 lies between 0 and 1.
//
//   {"shapes": [{"shape_type": "polygon", "points": [[x, y], ...], "mask": null}, ...],
//    "imagePath": "a.jpg", "imageData": null, "imageHeight": 5, "imageWidth": 7}
//
// A mask is a PNG as text, and its points are its first and last pixel. imageData is null, or the
// picture's file as text.
#pragma once

#include <memory>
#include <string_view>

#include "src/labels/one/label.hpp"

namespace qturn {

/// Whether a text begins like such a label, and not like other JSON.
bool is_labelme(std::string_view text);

/// To be turned: only the numbers of points and the size change, the masks, the last part of
/// imagePath, and an imageData, which becomes the turned picture. Every other byte stays.
///
/// Throws LabelError if the text is not JSON; when it is turned, if it is not such a label, says
/// another size, or has a shape of another type.
std::unique_ptr<ParsedLabel> parse_labelme(std::string_view text);

/// The shapes of a label, and those that cannot be read.
LabelContent read_labelme(std::string_view text);

}  // namespace qturn
