// DOTA labels: a text file for each picture, a line for each object, with the corners of a turned
// box in pixels, clockwise, its category and its difficulty:
//
//   imagesource:GoogleEarth
//   gsd:0.146343
//   x1 y1 x2 y2 x3 y3 x4 y4 category difficulty
//
// Lines before the first object say something of the picture and stay. In a mirror the corners
// change places, the first with the second and the third with the fourth, so that they stay
// clockwise and the first edge stays the first.
#pragma once

#include <memory>
#include <string_view>

#include "src/labels/one/label.hpp"

namespace qturn {

/// Whether a line of a text is one of an object.
bool is_dota(std::string_view text);

/// `text` must outlive the result.
std::unique_ptr<ParsedLabel> parse_dota(std::string_view text);

/// The shapes of a label, and lines that are not of the form above.
LabelContent read_dota(std::string_view text);

}  // namespace qturn
