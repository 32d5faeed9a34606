// What a label says: the shapes of its objects, to be checked against their picture and to be
// drawn. They are read by the code that turns labels, but leniently: one that cannot be read is a
// fault, and the others are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/labels/geometry.hpp"
#include "src/labels/run_lengths.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

/// What can be wrong with a data set. `no_label` and `frame` are worth knowing, not wrong.
enum class LabelFault : std::uint8_t {
  broken,
  outside,
  degenerate,
  size,
  unknown_category,
  duplicate_id,
  no_picture,
  no_label,
  frame,
  out_of_step
};
inline constexpr int label_fault_count = 10;

/// "broken", "duplicate id".
std::string_view name(LabelFault fault);
constexpr bool is_wrong(LabelFault fault) {
  return fault != LabelFault::no_label && fault != LabelFault::frame;
}

struct LabelProblem {
  LabelFault fault = LabelFault::broken;
  std::optional<TextPlace> place = {};
  std::string why = {};
  Hints hints = {};
};
inline LabelProblem broken(const LabelError& error) {
  return {LabelFault::broken, error.place(), error.why(), hints_of(error)};
}

enum class ShapeKind : std::uint8_t {
  box,        ///< two corners
  polygon,    ///< closed
  line,       ///< open
  circle,     ///< its centre, and a point on it
  points,     ///< keypoints that are there
  mask,       ///< `runs` of a picture of `size`
  image_mask  ///< `image` between two corners
};

/// A point in units of pixels: pixel 0 lies between 0 and 1.
struct ShapePoint {
  double x = 0, y = 0;
};
inline ShapePoint drawn(const LabelPoint& point) { return {point.x.value(), point.y.value()}; }
double distance(ShapePoint a, ShapePoint b);

struct LabelShape {
  ShapeKind kind = ShapeKind::box;
  TextPlace place = {};
  std::string category = {};  ///< its name, or its number
  std::vector<ShapePoint> points = {};
  Size size = {};
  RunLengths runs = {};
  std::vector<std::byte> image = {};  ///< a picture's file
};

struct LabelContent {
  std::optional<Size> said = {};  ///< the size of the picture, as the label says
  std::optional<TextPlace> said_at = {};
  bool is_normalised = false;  ///< coordinates are fractions of the width and the height
  std::vector<LabelShape> shapes = {};
  std::vector<LabelProblem> problems = {};
};

/// The outline of a box or an ellipse that is turned clockwise around its middle.
std::vector<ShapePoint> rotated_box(ShapePoint middle, ShapePoint extent, double radians);
std::vector<ShapePoint> rotated_ellipse(ShapePoint middle, ShapePoint radii, double radians);

/// A box that CVAT turns clockwise around its middle, by degrees.
LabelShape box_of_cvat(ShapePoint first, ShapePoint last, double rotation);

/// The shapes in pixels of a picture of this size.
std::vector<LabelShape> in_pixels(const LabelContent& content, Size size);

/// Tells which shapes reach out of the picture by half a pixel or more, have no area, or are masks
/// of another size. Numbers in files are rounded, so less than half a pixel is not told.
void check_shapes(std::span<const LabelShape> shapes, Size size,
                  const std::function<void(const LabelProblem&)>& tell);

// What becomes of a shape that cannot be turned.

/// Does `work`. What it cannot turn is a problem of `content`, for who reads, and thrown if that is
/// null.
template <typename Work>
void attempt(LabelContent* content, Work work) {
  try {
    work();
  } catch (const LabelError& error) {
    if (!content) throw;
    content->problems.push_back(broken(error));
  }
}

}  // namespace qturn
