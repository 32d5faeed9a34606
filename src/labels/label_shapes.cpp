#include "src/labels/label_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace qturn {
namespace {

constexpr double tolerance = 0.5;  // pixels

std::string_view words(ShapeKind kind) {
  constexpr std::string_view names[] = {"box",      "polygon", "line", "circle",
                                        "keypoint", "mask",    "mask"};
  return names[static_cast<std::size_t>(kind)];
}

std::string subject(const LabelShape& shape) {
  if (shape.category.empty()) return fmt::format("a {}", words(shape.kind));
  return fmt::format("a {} of {}", words(shape.kind), shape.category);
}

/// The box around all points; a circle has its centre and a point of its rim.
struct Extent {
  double left = 0, top = 0, right = 0, bottom = 0;
};

Extent extent_of(const LabelShape& shape) {
  Extent extent = {shape.points[0].x, shape.points[0].y, shape.points[0].x, shape.points[0].y};
  for (const ShapePoint& point : shape.points) {
    extent.left = std::min(extent.left, point.x);
    extent.right = std::max(extent.right, point.x);
    extent.top = std::min(extent.top, point.y);
    extent.bottom = std::max(extent.bottom, point.y);
  }
  if (shape.kind == ShapeKind::circle && shape.points.size() == 2) {
    const ShapePoint &centre = shape.points[0], &rim = shape.points[1];
    const double radius = distance(rim, centre);
    extent = {centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius};
  }
  return extent;
}

/// "the right edge by 12 pixels"; empty if it lies inside.
std::string how_far_outside(const LabelShape& shape, Size size) {
  const Extent extent = extent_of(shape);
  struct Edge {
    const char* name;
    double beyond;
  };
  const Edge edges[] = {{"left", -extent.left},
                        {"upper", -extent.top},
                        {"right", extent.right - static_cast<double>(size.width)},
                        {"lower", extent.bottom - static_cast<double>(size.height)}};
  const Edge& worst = *std::ranges::max_element(edges, {}, &Edge::beyond);
  if (!(worst.beyond >= tolerance)) return "";
  return fmt::format("the {} edge by {:.6g} {}", worst.name, worst.beyond,
                     worst.beyond == 1 ? "pixel" : "pixels");
}

bool has_area(const std::vector<ShapePoint>& polygon) {
  constexpr double rounding = 1e-12;
  double twice = 0, longest = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    // From the first point, so that small differences of large numbers stay exact.
    const ShapePoint &a = polygon[i], &b = polygon[(i + 1) % polygon.size()], &o = polygon[0];
    twice += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
    longest = std::max({longest, std::abs(a.x - o.x), std::abs(a.y - o.y)});
  }
  return std::abs(twice) > rounding * longest * longest;
}

/// Empty if there is something to see.
std::string why_degenerate(const LabelShape& shape) {
  const auto& points = shape.points;
  switch (shape.kind) {
    case ShapeKind::box: {
      const double width = points[1].x - points[0].x, height = points[1].y - points[0].y;
      if (width > 0 && height > 0) return "";
      return fmt::format("is {:.6g} wide and {:.6g} high", width, height);
    }
    case ShapeKind::polygon:
      if (points.size() < 3) return fmt::format("has {} points, not 3 or more", points.size());
      return has_area(points) ? "" : "has no area";
    case ShapeKind::line:
      return points.size() < 2 ? "has fewer than 2 points" : "";
    case ShapeKind::circle:
      if (points.size() != 2) return fmt::format("has {} points, not 2", points.size());
      return distance(points[0], points[1]) > 0 ? "" : "has a radius of 0";
    case ShapeKind::mask:
      return shape.runs.size() < 2 ? "has no pixel" : "";
    default:
      return "";
  }
}

/// Points about 0, 0, turned and moved.
std::vector<ShapePoint> rotated(std::vector<ShapePoint> points, ShapePoint middle, double radians) {
  const double c = std::cos(radians), s = std::sin(radians);
  for (ShapePoint& point : points)
    point = {middle.x + point.x * c - point.y * s, middle.y + point.x * s + point.y * c};
  return points;
}

}  // namespace

double distance(ShapePoint a, ShapePoint b) {
  // Where std::hypot() compiles with glibc 2.35, it needs that; the bundle is for 2.34.
  const double x = a.x - b.x, y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

std::vector<ShapePoint> rotated_box(ShapePoint middle, ShapePoint extent, double radians) {
  const double x = extent.x / 2, y = extent.y / 2;
  return rotated({{-x, -y}, {x, -y}, {x, y}, {-x, y}}, middle, radians);
}

LabelShape box_of_cvat(ShapePoint first, ShapePoint last, double rotation) {
  if (rotation == 0) return {.kind = ShapeKind::box, .points = {first, last}};
  const ShapePoint middle = {(first.x + last.x) / 2, (first.y + last.y) / 2};
  return {.kind = ShapeKind::polygon,
          .points = rotated_box(middle, {last.x - first.x, last.y - first.y},
                                rotation * std::numbers::pi / 180)};
}

std::vector<ShapePoint> rotated_ellipse(ShapePoint middle, ShapePoint radii, double radians) {
  constexpr int corners = 64;
  std::vector<ShapePoint> around;
  for (int i = 0; i < corners; ++i) {
    const double at = 2 * std::numbers::pi * i / corners;
    around.push_back({radii.x * std::cos(at), radii.y * std::sin(at)});
  }
  return rotated(std::move(around), middle, radians);
}

std::string_view name(LabelFault fault) {
  constexpr std::string_view names[label_fault_count] = {
      "broken",       "outside",    "degenerate", "size",  "unknown category",
      "duplicate id", "no picture", "no label",   "frame", "out of step"};
  return names[static_cast<std::size_t>(fault)];
}

std::vector<LabelShape> in_pixels(const LabelContent& content, Size size) {
  std::vector<LabelShape> shapes = content.shapes;
  if (!content.is_normalised) return shapes;
  for (LabelShape& shape : shapes) {
    for (ShapePoint& point : shape.points) {
      point.x *= static_cast<double>(size.width);
      point.y *= static_cast<double>(size.height);
    }
  }
  return shapes;
}

void check_shapes(std::span<const LabelShape> shapes, Size size,
                  const std::function<void(const LabelProblem&)>& tell) {
  for (const LabelShape& shape : shapes) {
    const auto say = [&](LabelFault fault, const std::string& why) {
      tell({fault, shape.place, fmt::format("{} {}", subject(shape), why)});
    };
    if (const std::string why = why_degenerate(shape); !why.empty())
      say(LabelFault::degenerate, why);
    if (shape.kind == ShapeKind::mask) {
      if (shape.size != size)
        say(LabelFault::size, fmt::format("is {} x {}, the picture is {} x {}", shape.size.width,
                                          shape.size.height, size.width, size.height));
    } else if (shape.kind != ShapeKind::image_mask && !shape.points.empty()) {
      const std::string where = how_far_outside(shape, size);
      if (!where.empty()) say(LabelFault::outside, "lies beyond " + where);
    }
  }
}

}  // namespace qturn
