// Pascal VOC labels: an XML file for each picture. Pixels are counted from 1, and a box holds its
// last column and row.
//
//   <annotation> <filename/> <path/> <size> <width/> <height/> </size>
//     <object> <bndbox> <xmin/> <ymin/> <xmax/> <ymax/> </bndbox>
//       <part> <bndbox/> </part>  <point> <x/> <y/> </point>
#ifndef QTURN_SRC_LABELS_VOC_HPP
#define QTURN_SRC_LABELS_VOC_HPP

#include <qturn/orientation.hpp>

#include <string>
#include <string_view>

#include "src/labels/label_shapes.hpp"

namespace qturn {

/// Whether a text begins like such a label, and not like other XML.
bool is_voc(std::string_view text);

/// The label of the turned picture, whose file is called `name`. Only the numbers of boxes, points
/// and the size change, and the last part of filename and path. Every other byte stays.
///
/// `size` is the picture's before the turn, in the frame of the labels. Throws LabelError if the
/// text is not such a label, says another size, or has an object whose shape is of another kind.
std::string turn_voc(std::string_view text, Orientation orientation, Size size,
                     std::string_view name);

/// The shapes of a label, and objects that cannot be read.
LabelContent read_voc(std::string_view text);

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_VOC_HPP
