// Pascal VOC labels: an XML file for each picture. Pixels are counted from 1, and a box holds its
// last column and row. Other programs count from 0, and a box ends where its last numbers say: then
// a turn adds up to the width, not to the width plus 1. No label says which it is, but a 0 is
// proof.
//
//   <annotation> <filename/> <path/> <size> <width/> <height/> </size>
//     <object> <bndbox> <xmin/> <ymin/> <xmax/> <ymax/> </bndbox>
//       <part> <bndbox/> </part>  <point> <x/> <y/> </point>
#pragma once

#include <memory>
#include <string_view>

#include "src/labels/one/label.hpp"

namespace qturn {

/// Whether a text begins like such a label, and not like other XML.
bool is_voc(std::string_view text);

/// To be turned: only the numbers of boxes, points and the size change, and the last part of
/// filename and path. Every other byte stays.
///
/// Throws LabelError if the text is not such a label; when it is turned, if it says another size,
/// or has an object whose shape is of another kind.
std::unique_ptr<ParsedLabel> parse_voc(std::string_view text);

/// The same of a label that counts from 0. parse_voc() throws for a box that begins at 0.
std::unique_ptr<ParsedLabel> parse_voc_from_zero(std::string_view text);

/// The shapes of a label, and objects that cannot be read.
LabelContent read_voc(std::string_view text);
LabelContent read_voc_from_zero(std::string_view text);

/// Whether a box of a label begins at 0.
bool has_zero(std::string_view text);

}  // namespace qturn
