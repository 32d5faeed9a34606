#include "src/carriers/xmp_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace qturn {
namespace {

constexpr std::string_view regions_space = "http://www.metadataworkinggroup.com/schemas/regions/",
                           area_space = "http://ns.adobe.com/xmp/sType/Area#",
                           dimensions_space = "http://ns.adobe.com/xap/1.0/sType/Dimensions#",
                           microsoft_space = "http://ns.microsoft.com/photo/1.2/t/Region#";

// A decimal fraction that keeps its number of digits, so that four quarter turns restore the text.
struct Decimal {
  double value = 0;
  int digits = 0;

  std::string text() const { return fmt::format("{:.{}f}", value, digits); }
  Decimal from_the_other_side(double side) const { return {std::max(0.0, side - value), digits}; }
};

std::optional<Decimal> decimal(std::string_view text) {
  Decimal number;
  constexpr int max_digits = 17;
  const char* end = text.data() + text.size();
  const auto [read, error] =
      std::from_chars(text.data(), end, number.value, std::chars_format::fixed);
  if (error != std::errc() || read != end || !std::isfinite(number.value)) return std::nullopt;
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) number.digits = static_cast<int>(text.size() - point - 1);
  number.digits = std::min(number.digits, max_digits);
  return number;
}

struct Point {
  Decimal x, y;
};

// Where a point of a picture with these sides is shown once it is turned. Between pixels, so
// without the 1 that positions of pixels need.
Point moved(Orientation orientation, const Point& point, double width, double height) {
  const Reading r = reading(orientation);
  const Decimal u = r.from_right ? point.x.from_the_other_side(width) : point.x;
  const Decimal v = r.from_bottom ? point.y.from_the_other_side(height) : point.y;
  return r.swap_axes ? Point{v, u} : Point{u, v};
}

// The nodes that describe one thing: attributes of an element, or elements inside it.
using Members = std::map<std::string_view, const XmlNode*>;

std::map<int, Members> grouped(const std::vector<XmlNode>& nodes, std::string_view space) {
  std::map<int, Members> groups;
  for (const XmlNode& node : nodes) {
    if (node.space == space) groups[node.parent].emplace(node.name, &node);
  }
  return groups;
}

const XmlNode* member(const Members& members, std::string_view name) {
  const auto found = members.find(name);
  return found == members.end() ? nullptr : found->second;
}

// "0.25, 0.25, 0.5, 0.5": left, top, width, height, as texts without blanks.
std::optional<std::array<std::string_view, 4>> rectangle_parts(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    std::string_view part = text.substr(0, comma);
    const std::size_t first = part.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return std::nullopt;
    parts[i] = part.substr(first, part.find_last_not_of(" \t\r\n") - first + 1);
    text = i + 1 < parts.size() ? text.substr(comma + 1) : std::string_view();
  }
  return parts;
}

// The rectangle's other corners lie `width` and `height` away; the one that is now the upper left
// is named. Its distance from the far side has the digits of the more exact of the two.
std::optional<std::string> moved_rectangle(Orientation orientation, std::string_view text) {
  const auto parts = rectangle_parts(text);
  if (!parts) return std::nullopt;
  std::array<Decimal, 4> numbers;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const auto number = decimal((*parts)[i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const Reading r = reading(orientation);
  const auto far = [](const Decimal& corner, const Decimal& length) {
    return Decimal{std::max(0.0, 1 - corner.value - length.value),
                   std::max(corner.digits, length.digits)}
        .text();
  };
  const std::string u = r.from_right ? far(numbers[0], numbers[2]) : std::string((*parts)[0]);
  const std::string v = r.from_bottom ? far(numbers[1], numbers[3]) : std::string((*parts)[1]);
  return r.swap_axes ? fmt::format("{}, {}, {}, {}", v, u, (*parts)[3], (*parts)[2])
                     : fmt::format("{}, {}, {}, {}", u, v, (*parts)[2], (*parts)[3]);
}

}  // namespace

void move_regions(const std::vector<XmlNode>& nodes, const CarrierTurn& turn, XmpEdits& edits,
                  std::vector<std::string>& warnings) {
  Orientation orientation = turn.pixels;
  double width = 0, height = 0;
  for (const auto& [parent, members] : grouped(nodes, dimensions_space)) {
    if (parent < 0) continue;
    const XmlNode& owner = nodes[static_cast<std::size_t>(parent)];
    const bool of_regions = owner.is(regions_space, "AppliedToDimensions") ||
                            (owner.parent >= 0 && nodes[static_cast<std::size_t>(owner.parent)].is(
                                                      regions_space, "AppliedToDimensions"));
    const XmlNode *w = member(members, "w"), *h = member(members, "h");
    const auto w_says = w ? decimal(w->value) : std::nullopt;
    const auto h_says = h ? decimal(h->value) : std::nullopt;
    if (!of_regions || !w_says || !h_says) continue;
    width = w_says->value;
    height = h_says->value;
    const Size drawn_on = width > height ? Size{2, 1} : width < height ? Size{1, 2} : Size{1, 1};
    orientation = turn.turn_of(drawn_on);
    if (swaps_axes(orientation)) edits.exchange(*w, *h);
  }
  if (orientation == Orientation::identity) return;

  bool left = false;
  for (const auto& [parent, members] : grouped(nodes, area_space)) {
    const XmlNode *x = member(members, "x"), *y = member(members, "y"), *w = member(members, "w"),
                  *h = member(members, "h"), *unit = member(members, "unit");
    const auto x_says = x ? decimal(x->value) : std::nullopt;
    const auto y_says = y ? decimal(y->value) : std::nullopt;
    const bool in_pixels = unit && unit->value == "pixel";
    if (!x_says || !y_says || (unit && !in_pixels && unit->value != "normalized") ||
        (in_pixels && (width == 0 || height == 0))) {
      left = true;
      continue;
    }
    const Point now =
        moved(orientation, {*x_says, *y_says}, in_pixels ? width : 1, in_pixels ? height : 1);
    edits.replace(*x, now.x.text());
    edits.replace(*y, now.y.text());
    if (w && h && swaps_axes(orientation)) edits.exchange(*w, *h);
  }
  for (const XmlNode& node : nodes) {
    if (!node.is(microsoft_space, "Rectangle")) continue;
    const auto now = moved_rectangle(orientation, node.value);
    if (now) edits.replace(node, *now);
    left |= !now;
  }
  if (left) warnings.emplace_back("a face region in its XMP is damaged and stays as it was");
}

}  // namespace qturn
