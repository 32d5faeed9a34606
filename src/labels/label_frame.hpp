// Which frame of a tagged picture labels were drawn in: the pixels as they are stored, or the
// picture as a viewer shows it.
#ifndef QTURN_SRC_LABELS_LABEL_FRAME_HPP
#define QTURN_SRC_LABELS_LABEL_FRAME_HPP

#include <qturn/orientation.hpp>

#include <cstdint>
#include <string>

#include "src/labels/label_shapes.hpp"

namespace qturn {

enum class FittingFrame : std::uint8_t { unknown, stored, upright, neither };

struct FrameFit {
  FittingFrame frame = FittingFrame::unknown;
  std::string why;  ///< "by the size that it says"; empty if it is unknown
};

/// By the size that the label says; if it says none, by how many of its shapes lie outside of each.
/// Unknown if the tag does not swap the axes of a picture that is not square, or if both fit.
FrameFit frame_that_fits(const LabelContent& content, Size stored, Size upright);

}  // namespace qturn

#endif  // QTURN_SRC_LABELS_LABEL_FRAME_HPP
