// Cityscapes labels: gtFine/x/a_gtFine_polygons.json of leftImg8bit/x/a_leftImg8bit.png.
//
//   {"imgHeight": 1024, "imgWidth": 2048, "objects": [{"label": "road", "polygon": [[x, y], ...]}]}
//
// Coordinates are the numbers of pixels, from 0: the tool that they were drawn with
// (cityscapesLabelTool.py) lets no point go beyond the last one.
#pragma once

#include <memory>
#include <string_view>

#include "src/labels/one/label.hpp"

namespace qturn {

/// Whether a text begins like such a label, and not like other JSON.
bool is_cityscapes(std::string_view text);

/// `text` must outlive the result.
std::unique_ptr<ParsedLabel> parse_cityscapes(std::string_view text);

/// The shapes of a label, and those that cannot be read.
LabelContent read_cityscapes(std::string_view text);

}  // namespace qturn
