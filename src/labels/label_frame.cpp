#include "src/labels/label_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace qturn {
namespace {

std::size_t count_outside(const LabelContent& content, Size size) {
  std::size_t outside = 0;
  check_shapes(content.shapes, size, [&](const LabelProblem& problem) {
    const bool is_other_frame =
        problem.fault == LabelFault::outside || problem.fault == LabelFault::size;
    outside += is_other_frame ? 1 : 0;
  });
  return outside;
}

}  // namespace

FrameFit frame_that_fits(const LabelContent& content, Size stored, Size upright) {
  if (stored == upright) return {};
  if (content.said) {
    const FittingFrame frame = *content.said == stored    ? FittingFrame::stored
                               : *content.said == upright ? FittingFrame::upright
                                                          : FittingFrame::neither;
    return {frame, "by the size that it says"};
  }
  if (content.is_normalised) return {};
  const std::size_t of_stored = count_outside(content, stored);
  const std::size_t of_upright = count_outside(content, upright);
  if (of_stored == of_upright) return {};
  const std::size_t fewer = std::min(of_stored, of_upright), more = std::max(of_stored, of_upright);
  return {of_stored < of_upright ? FittingFrame::stored : FittingFrame::upright,
          fmt::format("{} of {} shapes lie outside of it, and {} of the other", fewer,
                      content.shapes.size(), more)};
}

}  // namespace qturn
