// The formats of label files, of which each picture has its own, and the turn of any of them.
#ifndef QTURN_SRC_LABELS_LABEL_HPP
#define QTURN_SRC_LABELS_LABEL_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/labels/label_shapes.hpp"
#include "src/labels/yolo.hpp"

namespace qturn {

/// What a label is turned by.
struct LabelTurn {
  Orientation orientation = Orientation::identity;
  Size size = {};         ///< of the picture before the turn, in the frame of the labels
  std::string_view name;  ///< of the turned picture's file
  const std::optional<Keypoints>& keypoints;
  std::span<const std::byte> picture = {};  ///< the turned picture's file
  bool comes_beside = false;  ///< the turned label lies beside its picture, the label did not
};

struct LabelFormat {
  std::string_view option, name, suffix;
  std::string_view pictures, labels;     ///< folders beside each other, in lower case; may be empty
  bool (*is_of)(std::string_view text);  ///< whether a text looks like one
  std::string (*turn)(std::string_view text, const LabelTurn& turn);  ///< throws LabelError
  LabelContent (*read)(std::string_view text, const std::optional<Keypoints>& keypoints);
};

/// "yolo", "voc", "labelme".
extern const LabelFormat label_formats[3];

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_LABEL_HPP
