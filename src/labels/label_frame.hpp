// Which frame of a tagged picture labels were drawn in: the pixels as they are stored, or the
// picture as a viewer shows it.
#pragma once

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

/// Which frame fits. The size that the label says decides. If it says none, the number of shapes
/// that lie outside of each frame decides. Unknown if the tag does not swap the axes of a picture
/// that is not square, or if both fit.
FrameFit frame_that_fits(const LabelContent& content, Size stored, Size upright);

}  // namespace qturn
