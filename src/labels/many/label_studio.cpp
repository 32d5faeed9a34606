// Label Studio's JSON: an object for each task.
//
//   {"id": 1, "data": {"image": "/data/upload/1/a.png"}, "annotations": [{"id": 1, "result": [
//     {"original_width": 9, "original_height": 5, "image_rotation": 0, "type": "rectanglelabels",
//      "value": {"x": 10, "y": 20, "width": 30, "height": 40, "rotation": 0,
//                "rectanglelabels": ["cat"]}}]}]}
//
// Coordinates are percent of the width and the height. A rotation of a rectangle is in degrees,
// clockwise around its first corner. So a turned rectangle keeps that corner, and its other numbers
// are exact where width and height keep their percents: in half a turn and along a diagonal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/labels/json_picture.hpp"
#include "src/labels/many/label_element.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/words.hpp"

namespace qturn {
namespace {

constexpr double percent = 100;

Decimal plus(const Decimal& number, std::int64_t sum) { return number.mirrored(0).mirrored(sum); }

/// What a rotation becomes, from 0 to 360. A mirror lets it count from another side.
Decimal turned_rotation(const Decimal& degrees, Orientation orientation) {
  if (orientation == Orientation::identity) return degrees;
  constexpr std::int64_t whole = 360;
  constexpr std::int64_t from[] = {0, 90, 180, 270, 0, 90, 180, 270};  // by orientation
  const std::int64_t base = from[static_cast<std::size_t>(orientation) - 1];
  const Decimal now = mirrors(orientation) ? degrees.mirrored(base) : plus(degrees, base);
  if (now.is_negative()) return plus(now, whole);
  const Decimal rest = now.mirrored(whole);
  return rest.is_negative() || rest.is_zero() ? rest.mirrored(0) : now;
}

class LabelStudioTask : public LabelElement {
 public:
  LabelStudioTask(std::string_view text, TextPlace place)
      : json_(text, place), image_(image_in(json_.root())) {
    path_ = image_.string();
    file_name_ = path_.substr(path_.find_last_of("/\\=") + 1);
    if (file_name_.empty()) image_.fail("names no file");
    for_each_result([&](const JsonValue& result) {
      const auto width = result.find("original_width"), height = result.find("original_height");
      if (!size_ && width && height) size_ = {side_of(*width), side_of(*height)};
    });
  }

  void turn(ElementTurn& turn) const override {
    const JsonValue root = json_.root();
    replace_string(
        turn.edits, image_,
        path_.substr(0, path_.size() - file_name_.size()) + std::string(turn.variant.name));
    turn_ids(turn, root);
    for (const JsonValue member : root.member("data"))
      if (member.text().data() != image_.text().data()) refuse_coordinates(member);
    for_each_set([&](const JsonValue& set) { turn_ids(turn, set); });
    for_each_result(
        [&](const JsonValue& result) { turn.attempt([&] { turn_result(turn, result); }); });
  }

 private:
  static JsonValue image_in(const JsonValue& task) {
    const JsonValue data = task.expect(JsonKind::object).member("data").expect(JsonKind::object);
    for (const std::string_view name : {"image", "img", "ocr"})
      if (const auto found = data.find(name)) return *found;
    std::optional<JsonValue> only;
    for (const JsonValue member : data) {
      if (member.kind() != JsonKind::string) continue;
      if (only) data.fail("does not say which of its members is the image");
      only = member;
    }
    if (!only) data.fail("has no image");
    return *only;
  }

  /// What one person or model says.
  template <typename Visit>
  void for_each_set(Visit visit) const {
    for (const std::string_view name : {"annotations", "completions", "predictions", "drafts"})
      if (const auto sets = json_.root().find(name))
        for (const JsonValue set : *sets)
          if (set.kind() == JsonKind::object) visit(set);
  }

  template <typename Visit>
  void for_each_result(Visit visit) const {
    const auto visit_those_of = [&](const JsonValue& set) {
      if (const auto results = set.find("result"))
        for (const JsonValue result : *results) visit(result.expect(JsonKind::object));
    };
    for_each_set([&](const JsonValue& set) {
      visit_those_of(set);
      for (const std::string_view name : {"prediction", "draft"})
        if (const auto other = set.find(name)) visit_those_of(*other);
    });
  }

  /// Of a task, and of what belongs to it.
  static void turn_ids(ElementTurn& turn, const JsonValue& object) {
    for (const std::string_view name : {"id", "task"}) {
      const auto id = object.find(name);
      if (id && id->kind() == JsonKind::number)
        replace_id(turn.edits, *id, id_in(object, name), turn.variant.turn);
    }
  }

  void turn_result(ElementTurn& turn, const JsonValue& result) const {
    for (const std::string_view name : {"image_rotation", "rotation"})
      if (const auto rotation = result.find(name); rotation && !is_zero(*rotation))
        rotation->fail(fmt::format("{} other than 0 cannot be turned", name));
    const auto width = result.find("original_width"), height = result.find("original_height");
    if (width && height) {
      if (size_ != Size{side_of(*width), side_of(*height)}) {
        width->fail(fmt::format("says {} x {}, another result {} x {}", width->text(),
                                height->text(), size_->width, size_->height));
      }
      if (swaps_axes(turn.orientation())) swap(turn, *width, *height);
    }
    const auto value = result.find("value");
    if (!value || value->kind() != JsonKind::object) return;
    LabelShape shape{.category = category_of(*value)};
    for (const JsonValue member : *value)
      if (member.name().ends_with("labels"))
        replace_class(turn.edits, member, turn.swap, turn.orientation());
    for (const std::string_view unknown : {"rle", "sequence", "vertices"})
      if (const auto found = value->find(unknown))
        found->fail(fmt::format("{} cannot be turned", unknown));
    const auto x = value->find("x"), y = value->find("y");
    if (const auto points = value->find("points")) {
      turn_points(turn, *points, shape);
    } else if (!x || !y) {
      return refuse_coordinates(*value);
    } else if (value->find("radiusX")) {
      turn_ellipse(turn, *value, {x->number(), y->number()}, shape);
    } else if (value->find("width") && value->find("height")) {
      turn_rectangle(turn, *value, {x->number(), y->number()}, shape);
    } else {
      shape.kind = ShapeKind::points;
      shape.points = {drawn({x->number(), y->number()})};
      turn.put(turned(LabelPoint{x->number(), y->number()}, sides(turn)), x->text(), y->text());
    }
    turn.add(std::move(shape), value->text());
  }

  static bool is_zero(const JsonValue& value) {
    return value.kind() == JsonKind::null || value.number().is_zero();
  }
  static void swap(ElementTurn& turn, const JsonValue& a, const JsonValue& b) {
    turn.edits.replace(a.text(), std::string(b.text()));
    turn.edits.replace(b.text(), std::string(a.text()));
  }
  static CoordinateTurn sides(const ElementTurn& turn) { return {turn.orientation(), 100, 100}; }

  /// As a fraction.
  static ShapePoint drawn(const LabelPoint& point) {
    return {point.x.value() / percent, point.y.value() / percent};
  }

  /// "cat" of {"rectanglelabels": ["cat"]}.
  static std::string category_of(const JsonValue& value) {
    for (const JsonValue member : value)
      if (member.name().ends_with("labels") && member.size() > 0 &&
          (*member.begin()).kind() == JsonKind::string)
        return (*member.begin()).string();
    return "";
  }

  static void turn_points(ElementTurn& turn, const JsonValue& points, LabelShape& shape) {
    shape.kind = ShapeKind::polygon;
    for (const JsonValue point : points.expect(JsonKind::array)) {
      if (point.expect(JsonKind::array).size() != 2)
        point.fail(fmt::format("a point has 2 numbers, not {}", point.size()));
      const JsonValue x = *point.begin(), y = *++point.begin();
      const LabelPoint read = {x.number(), y.number()};
      shape.points.push_back(drawn(read));
      turn.put(turned(read, sides(turn)), x.text(), y.text());
    }
    if (shape.points.empty()) points.fail("has no points");
  }

  void turn_ellipse(ElementTurn& turn, const JsonValue& value, const LabelPoint& middle,
                    LabelShape& shape) const {
    const JsonValue x = value.member("radiusX"), y = value.member("radiusY");
    const LabelPoint radii = {x.number(), y.number()};
    const auto rotation = value.find("rotation");
    shape.kind = ShapeKind::polygon;
    constexpr int corners = 64;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2 * std::numbers::pi * i / corners;
      shape.points.push_back(rotated(middle, radii.x.value() * std::cos(angle),
                                     radii.y.value() * std::sin(angle), rotation));
    }
    turn.put(turned(middle, sides(turn)), value.member("x").text(), value.member("y").text());
    turn.put(turned_extent(radii, sides(turn)), x.text(), y.text());
    if (rotation) {
      turn.edits.replace(rotation->text(),
                         turned_angle(rotation->number(), turn.orientation()).text());
    }
  }

  void turn_rectangle(ElementTurn& turn, const JsonValue& value, const LabelPoint& corner,
                      LabelShape& shape) const {
    const JsonValue width = value.member("width"), height = value.member("height");
    const LabelBox box = {corner, {width.number(), height.number()}};
    const double across = box.extent.x.value(), down = box.extent.y.value();
    const auto rotation = value.find("rotation");
    const JsonValue x = value.member("x"), y = value.member("y");
    if (!rotation || is_zero(*rotation)) {
      shape.points = {drawn(corner), rotated(corner, across, down, {})};
      const LabelBox now = turned_box(box, sides(turn));
      turn.put(now.corner, x.text(), y.text());
      return turn.put(now.extent, width.text(), height.text());
    }
    shape.kind = ShapeKind::polygon;
    const std::pair<double, double> corners[] = {{0, 0}, {across, 0}, {across, down}, {0, down}};
    for (const auto& [right, below] : corners)
      shape.points.push_back(rotated(corner, right, below, rotation));
    if (!keeps_shares(turn.orientation()) && !(size_ && size_->width == size_->height)) {
      rotation->fail(
          "a rotated rectangle of a picture that is not square can only be turned by 180 degrees "
          "or along a diagonal");
    }
    turn.put(turned(corner, sides(turn)), x.text(), y.text());
    if (mirrors(turn.orientation())) swap(turn, width, height);
    turn.edits.replace(rotation->text(),
                       turned_rotation(rotation->number(), turn.orientation()).text());
  }

  /// A point from another one, in percent, turned around that in pixels.
  ShapePoint rotated(const LabelPoint& around, double right, double down,
                     const std::optional<JsonValue>& rotation) const {
    const double angle = rotation ? rotation->number().value() * std::numbers::pi / 180 : 0;
    const Size size = size_.value_or(Size{1, 1});
    const auto width = static_cast<double>(size.width), height = static_cast<double>(size.height);
    const double x = right * width, y = down * height;
    return {(around.x.value() + (x * std::cos(angle) - y * std::sin(angle)) / width) / percent,
            (around.y.value() + (x * std::sin(angle) + y * std::cos(angle)) / height) / percent};
  }

  JsonText json_;
  JsonValue image_;
};

}  // namespace

const ElementFormat label_studio = {
    .in = ElementFormat::In::json,
    .array = "",
    .outermost = "",
    .is_of =
        [](std::string_view head) {
          return begins_as_array(head) && has_all(head, {"\"data\"", "\"result\""}) &&
                 has_any(head, {"\"annotations\"", "\"completions\""});
        },
    .read = read_element<LabelStudioTask>,
    .are_of_one = true,
    .turns_differ = true};

}  // namespace qturn
