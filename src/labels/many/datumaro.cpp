// Datumaro's JSON: an object for each picture.
//
//   {"info": {}, "categories": {...}, "items": [{"id": "x/a", "annotations": [
//     {"type": "bbox", "bbox": [x, y, width, height], "attributes": {"rotation": 30.0}},
//     {"type": "polygon", "points": [x, y, ...]},
//     {"type": "mask", "rle": {"counts": "...", "size": [height, width]}}],
//    "image": {"path": "a.png", "size": [5, 9]}}]}
//
// Boxes and masks are as in COCO, and all coordinates run from 0 to the width and the height. The
// id is the path of the picture without its suffix.
#include <fmt/format.h>

#include <algorithm>

#include "src/labels/json_picture.hpp"
#include "src/labels/many/label_element.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::string_view known_members[] = {"id",     "group", "z_order", "bbox",
                                              "points", "rle",   "area",    "visibility"};

std::vector<JsonValue> numbers_of(const JsonValue& array) {
  std::vector<JsonValue> numbers;
  for (const JsonValue number : array.expect(JsonKind::array)) {
    (void)number.number();
    numbers.push_back(number);
  }
  return numbers;
}

LabelPoint point_at(const std::vector<JsonValue>& numbers, std::size_t at) {
  return {numbers[at].number(), numbers[at + 1].number()};
}

/// Height and width.
std::pair<JsonValue, JsonValue> sides_of(const JsonValue& size) {
  if (size.expect(JsonKind::array).size() != 2)
    size.fail(fmt::format("size has {} numbers, expected height and width", size.size()));
  return {*size.begin(), *++size.begin()};
}

class DatumaroItem : public LabelElement {
 public:
  DatumaroItem(std::string_view text, TextPlace place) : json_(text, place) {
    const JsonValue item = json_.root().expect(JsonKind::object);
    const JsonValue path = item.member("image").member("path");
    file_name_ = path.string();
    if (file_name_.empty()) path.fail("is empty");
    if (const auto size = item.member("image").find("size")) {
      const auto [height, width] = sides_of(*size);
      size_ = {side_of(width), side_of(height)};
    }
  }

  void turn(ElementTurn& turn) const override {
    const JsonValue item = json_.root(), image = item.member("image");
    const std::string& name = turn.variant.name;
    const std::string stem = name.substr(name.rfind('/') + 1);
    replace_string(turn.edits, image.member("path"), renamed(file_name_, name));
    replace_string(turn.edits, item.member("id"),
                   renamed(item.member("id").string(), stem.substr(0, stem.rfind('.'))));
    if (const auto size = image.find("size"); size && swaps_axes(turn.orientation()))
      swap(turn, *size);
    for (const JsonValue annotation : item.member("annotations").expect(JsonKind::array))
      turn.attempt([&] { turn_annotation(turn, annotation.expect(JsonKind::object)); });
  }

 private:
  static void swap(ElementTurn& turn, const JsonValue& size) {
    const auto [height, width] = sides_of(size);
    turn.edits.replace(height.text(), std::string(width.text()));
    turn.edits.replace(width.text(), std::string(height.text()));
  }

  void turn_annotation(ElementTurn& turn, const JsonValue& annotation) const {
    const std::string type = annotation.member("type").string();
    LabelShape shape;
    if (const auto label = annotation.find("label_id")) {
      shape.category = label->text();
      replace_class(turn.edits, *label, turn.swap, turn.orientation());
    }
    if (type == "label" || type == "caption") return;
    if (type == "bbox") {
      turn_box(turn, annotation, shape);
    } else if (type == "mask") {
      turn_mask(turn, annotation.member("rle"), shape);
    } else if (type == "polygon" || type == "polyline" || type == "points") {
      shape.kind = type == "polygon"    ? ShapeKind::polygon
                   : type == "polyline" ? ShapeKind::line
                                        : ShapeKind::points;
      turn_points(turn, annotation.member("points"), shape);
    } else {
      annotation.member("type").fail(
          fmt::format("an annotation of the type '{}' cannot be turned", type));
    }
    UnknownMembers unknown;
    for (const JsonValue member : annotation) {
      if (member.name() == "attributes") {
        for (const JsonValue each : member)
          if (each.name() != "rotation") unknown.add(each);
      } else if (std::ranges::count(known_members, member.name()) == 0) {
        unknown.add(member);
      }
    }
    turn.add(std::move(shape), annotation.text());
  }

  static void turn_box(ElementTurn& turn, const JsonValue& annotation, LabelShape& shape) {
    const JsonValue box = annotation.member("bbox");
    const std::vector<JsonValue> sides = numbers_of(box);
    if (sides.size() != 4)
      box.fail(fmt::format("bbox has {} numbers, expected x, y, width and height", sides.size()));
    const LabelBox read = {point_at(sides, 0), point_at(sides, 2)};
    const ShapePoint corner = drawn(read.corner), extent = drawn(read.extent);
    const ShapePoint other = {corner.x + extent.x, corner.y + extent.y};
    shape.points = {corner, other};
    const LabelBox now = turned_box(read, turn.pixels());
    turn.put(now.corner, sides[0].text(), sides[1].text());
    turn.put(now.extent, sides[2].text(), sides[3].text());
    const auto attributes = annotation.find("attributes");
    if (!attributes) return;
    if (const auto rotation = attributes->find("rotation")) {
      LabelShape drawn_box = box_of_cvat(corner, other, rotation->number().value());
      shape.kind = drawn_box.kind;
      shape.points = std::move(drawn_box.points);
      turn.edits.replace(rotation->text(),
                         turned_angle(rotation->number(), turn.orientation()).text());
    }
  }

  static void turn_points(ElementTurn& turn, const JsonValue& points, LabelShape& shape) {
    const std::vector<JsonValue> numbers = numbers_of(points);
    if (shape.kind == ShapeKind::points && numbers.size() > 2)
      turn.fail_mirrored([&] { points.fail(points_may_have_sides); });
    if (numbers.empty() || numbers.size() % 2 != 0)
      points.fail(fmt::format("points has {} numbers, expected x and y of each", numbers.size()));
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      const LabelPoint point = point_at(numbers, i);
      shape.points.push_back(drawn(point));
      turn.put(turned(point, turn.pixels()), numbers[i].text(), numbers[i + 1].text());
    }
  }

  void turn_mask(ElementTurn& turn, const JsonValue& rle, LabelShape& shape) const {
    const JsonValue counts = rle.member("counts"), sides = rle.member("size");
    const auto [height, width] = sides_of(sides);
    shape.kind = ShapeKind::mask;
    shape.size = {side_of(width), side_of(height)};
    if (shape.size != size_) sides.fail("the mask has another size than the picture");
    if (shape.size.width > most_mask_pixels / std::max<std::int64_t>(shape.size.height, 1))
      sides.fail(fmt::format("a mask of more than {} pixels cannot be turned", most_mask_pixels));
    auto runs = runs_of_code(counts.string());
    if (!runs || !fill(*runs, shape.size))
      counts.fail("counts is not a compressed mask of this size");
    shape.runs = std::move(*runs);
    if (turn.orientation() == Orientation::identity) return;
    replace_string(turn.edits, counts,
                   code_of_runs(turned_runs(shape.runs, shape.size, turn.orientation())));
    if (swaps_axes(turn.orientation())) swap(turn, sides);
  }

  JsonText json_;
};

}  // namespace

const ElementFormat datumaro = {
    .in = ElementFormat::In::json,
    .array = "items",
    .outermost = "",
    .is_of =
        [](std::string_view head) {
          return has_all(head, {"\"items\"", "\"categories\"", "\"annotations\"", "\"path\""});
        },
    .read = read_element<DatumaroItem>};

}  // namespace qturn
