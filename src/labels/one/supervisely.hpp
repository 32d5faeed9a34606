// Supervisely labels: a JSON file for each picture, called after its whole name: a.jpg.json.
//
//   {"size": {"height": 5, "width": 7}, "objects": [
//     {"geometryType": "polygon", "points": {"exterior": [[x, y], ...], "interior": [[...]]}},
//     {"geometryType": "bitmap", "bitmap": {"data": "...", "origin": [x, y]}}]}
//
// Coordinates are the numbers of pixels, from 0. A rectangle goes from its first pixel to its last
// one, which is in it: in supervisely/geometry/rectangle.py, width = right - left + 1. A fraction
// is not one of the SDK's files but of the labelling tool, which counts otherwise, and is refused.
// A bitmap is cut out of the picture at its origin: a PNG, mostly in a zlib stream, in base64.
#pragma once

#include <memory>
#include <string_view>

#include "src/labels/one/label.hpp"

namespace qturn {

/// Whether a text begins like such a label, and not like other JSON.
bool is_supervisely(std::string_view text);

/// `text` must outlive the result.
std::unique_ptr<ParsedLabel> parse_supervisely(std::string_view text);

/// The shapes of a label, and those that cannot be read.
LabelContent read_supervisely(std::string_view text);

}  // namespace qturn
