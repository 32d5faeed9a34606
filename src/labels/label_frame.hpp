// Which frame of a tagged picture labels were drawn in: the pixels as they are stored, or the
// picture as a viewer shows it.
#pragma once

#include <fmt/format.h>
#include <qturn/orientation.hpp>

#include <algorithm>
#include <cstddef>
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
inline FrameFit frame_that_fits(const LabelContent& content, Size stored, Size upright) {
  if (stored == upright) return {};
  if (content.said) {
    const FittingFrame frame = *content.said == stored    ? FittingFrame::stored
                               : *content.said == upright ? FittingFrame::upright
                                                          : FittingFrame::neither;
    return {frame, "by the size that it says"};
  }
  if (content.is_normalised) return {};
  const auto count_outside = [&](Size size) {
    std::size_t outside = 0;
    check_shapes(content.shapes, size, [&](const LabelProblem& problem) {
      const bool is_other_frame =
          problem.fault == LabelFault::outside || problem.fault == LabelFault::size;
      outside += is_other_frame ? 1 : 0;
    });
    return outside;
  };
  const std::size_t of_stored = count_outside(stored), of_upright = count_outside(upright);
  if (of_stored == of_upright) return {};
  const std::size_t fewer = std::min(of_stored, of_upright), more = std::max(of_stored, of_upright);
  return {of_stored < of_upright ? FittingFrame::stored : FittingFrame::upright,
          fmt::format("{} of {} shapes lie outside of it, and {} of the other", fewer,
                      content.shapes.size(), more)};
}

}  // namespace qturn
