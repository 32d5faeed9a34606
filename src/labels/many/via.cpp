// VIA, the VGG Image Annotator 2: a member of an object for each picture (via_elements.hpp).
//
//   "a.jpg214": {"filename": "a.jpg", "size": 214, "file_attributes": {}, "regions": [
//     {"shape_attributes": {"name": "rect", "x": 1, "y": 1, "width": 2, "height": 3},
//      "region_attributes": {"class": "cat"}},
//     {"shape_attributes": {"name": "polygon", "all_points_x": [...], "all_points_y": [...]}},
//     {"shape_attributes": {"name": "ellipse", "cx": 3, "cy": 2, "rx": 2, "ry": 1, "theta": 0.5}}]}
//
// Coordinates run from 0 to the width and the height: VIA scales its canvas' coordinates, and
// writes the numbers of a rect to COCO as they are. theta counts clockwise, in radians. The size is
// the picture's file size in bytes, or -1, and the key ends with it. VIA 1 had an object of
// regions, which is refused.
#include <fmt/format.h>

#include "src/labels/json_picture.hpp"
#include "src/labels/many/label_element.hpp"
#include "src/labels/many/via_elements.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

/// Up to the quote at its end.
std::string_view string_at_begin(std::string_view text) {
  std::size_t end = 1;
  for (; end < text.size() && text[end] != '"'; ++end)
    if (text[end] == '\\') ++end;
  return text.substr(0, end + 1);
}

class ViaImage : public LabelElement {
 public:
  ViaImage(std::string_view text, TextPlace place) : key_(string_at_begin(text), place) {
    const std::string key = key_.root().string();
    const std::string_view size = size_in_via_key(key);
    file_name_ = key.substr(0, key.size() - size.size());
    size_is_known_ = size != "-1";
    const std::size_t value = text.find_first_not_of(" \t\r\n:", key_.root().text().size());
    if (value == text.npos) return;  // an entry of the list
    value_.emplace(text.substr(value), LabelText(text, place).place_of(text.substr(value)));
    const JsonValue image = value_->root().expect(JsonKind::object);
    const JsonValue name = image.member("filename");
    if (name.string() != file_name_ || image.member("size").number().text() != size)
      name.fail(fmt::format("the key of this picture is {}, not its filename and its size", key));
  }

  void turn(ElementTurn& turn) const override {
    const std::string name = renamed(file_name_, turn.variant.name);
    const std::string size = size_is_known_ ? std::to_string(turn.variant.bytes) : "-1";
    replace_string(turn.edits, key_.root(), name + size);
    if (!value_) return;
    UnknownMembers unknown;
    for (const JsonValue member : value_->root()) {
      const std::string is = member.name();
      if (is == "filename") {
        replace_string(turn.edits, member, name);
      } else if (is == "size") {
        turn.edits.replace(member.text(), size);
      } else if (is == "regions") {
        turn.attempt([&] {
          for (const JsonValue region : member.expect(JsonKind::array))
            turn.attempt([&] { turn_region(turn, region.expect(JsonKind::object)); });
        });
      } else {
        turn.attempt([&] {
          if (is == "base64_img_data" && member.text() != "\"\"") member.fail("holds a picture");
          unknown.add(member);
        });
      }
    }
  }

 private:
  static void turn_region(ElementTurn& turn, const JsonValue& region) {
    LabelShape shape;
    if (const auto attributes = region.find("region_attributes")) {
      UnknownMembers().add(*attributes);
      for (const JsonValue each : *attributes)
        if (shape.category.empty() && each.kind() == JsonKind::string)
          shape.category = each.string();
    }
    const JsonValue of = region.member("shape_attributes");
    const std::string type = of.member("name").string();
    if (type == "rect") {
      const LabelBox box = {point_in(of, "x", "y"), point_in(of, "width", "height")};
      const LabelBox now = turned_box(box, turn.pixels());
      put(turn, now.corner, of, "x", "y");
      put(turn, now.extent, of, "width", "height");
      const ShapePoint corner = drawn(box.corner), extent = drawn(box.extent);
      shape.points = {corner, {corner.x + extent.x, corner.y + extent.y}};
    } else if (type == "polygon" || type == "polyline") {
      shape.kind = type == "polygon" ? ShapeKind::polygon : ShapeKind::line;
      turn_points(turn, of.member("all_points_x"), of.member("all_points_y"), shape);
    } else if (type == "point" || type == "circle" || type == "ellipse") {
      const LabelPoint middle = point_in(of, "cx", "cy");
      put(turn, turned(middle, turn.pixels()), of, "cx", "cy");
      shape.kind = ShapeKind::points;
      shape.points = {drawn(middle)};
      if (type == "circle") {
        shape.kind = ShapeKind::circle;
        shape.points.push_back(
            {middle.x.value() + of.member("r").number().value(), middle.y.value()});
      }
      if (type == "ellipse") turn_ellipse(turn, of, shape);
    } else {
      of.member("name").fail(fmt::format("a region of the type '{}' cannot be turned", type));
    }
    turn.add(std::move(shape), region.text());
  }

  static void turn_points(ElementTurn& turn, const JsonValue& all_x, const JsonValue& all_y,
                          LabelShape& shape) {
    if (all_x.expect(JsonKind::array).size() != all_y.expect(JsonKind::array).size())
      all_y.fail(fmt::format("has {} numbers, all_points_x has {}", all_y.size(), all_x.size()));
    for (auto x = all_x.begin(), y = all_y.begin(); x != all_x.end(); ++x, ++y) {
      const LabelPoint point = {(*x).number(), (*y).number()};
      turn.put(turned(point, turn.pixels()), (*x).text(), (*y).text());
      shape.points.push_back(drawn(point));
    }
  }

  /// Swapped axes swap the radii. The angle stays, but a mirror negates it.
  static void turn_ellipse(ElementTurn& turn, const JsonValue& of, LabelShape& shape) {
    const LabelPoint radii = point_in(of, "rx", "ry");
    put(turn, turned_extent(radii, turn.pixels()), of, "rx", "ry");
    double angle = 0;
    if (const auto theta = of.find("theta")) {
      const Decimal radians = theta->number();
      angle = radians.value();
      if (mirrors(turn.orientation()) && !radians.is_zero())
        turn.edits.replace(theta->text(), radians.mirrored(0).text());
    }
    shape.kind = ShapeKind::polygon;
    shape.points = rotated_ellipse(shape.points[0], drawn(radii), angle);
  }

  static LabelPoint point_in(const JsonValue& of, std::string_view x, std::string_view y) {
    return {of.member(x).number(), of.member(y).number()};
  }
  static void put(ElementTurn& turn, const LabelPoint& point, const JsonValue& of,
                  std::string_view x, std::string_view y) {
    turn.put(point, of.member(x).text(), of.member(y).text());
  }

  JsonText key_;
  std::optional<JsonText> value_;
  bool size_is_known_ = false;
};

}  // namespace

const ElementFormat via = {
    .in = ElementFormat::In::via,
    .array = "",
    .outermost = "",
    .is_of =
        [](std::string_view head) {
          return has_any(head, {"\"_via_img_metadata\""}) ||
                 has_all(head, {"\"filename\"", "\"size\"", "\"regions\"", "\"file_attributes\""});
        },
    .read = read_element<ViaImage>};

}  // namespace qturn
