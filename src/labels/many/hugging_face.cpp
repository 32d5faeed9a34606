// Hugging Face image folders: a line of metadata.jsonl for each picture.
//
//   {"file_name": "a.png", "objects": {"bbox": [[x, y, width, height]], "category": [0]}}
//
// Boxes are as in COCO, or two corners where that is said. objects may be an array of objects, and
// bbox may stand outside of it. Captions, classes, ids and areas stay as they are.
#include "src/labels/many/hugging_face.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/labels/json_picture.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {
namespace {

constexpr std::string_view box_names[] = {"bbox", "bboxes"};
constexpr std::string_view names_of_category[] = {"category", "categories", "category_id",
                                                  "label",    "labels",     "class"};

bool is_box(const JsonValue& member) {
  return std::ranges::find(box_names, member.name()) != std::end(box_names);
}

bool is_category(const JsonValue& member) {
  return std::ranges::find(names_of_category, member.name()) != std::end(names_of_category);
}

std::optional<JsonValue> category_in(const JsonValue& object) {
  for (const std::string_view name : names_of_category)
    if (const auto found = object.find(name)) return found;
  return std::nullopt;
}

/// The name of the picture that a line is about: its file_name, or else image_file_name, or the
/// only member whose name ends so, also as the only name in an array. Throws LabelError.
JsonValue picture_in(const JsonValue& line) {
  for (const std::string_view name : {"file_name", "image_file_name"})
    if (const auto found = line.find(name)) return *found;
  std::optional<JsonValue> picture;
  for (const JsonValue member : line) {
    const std::string name = member.name();
    if (!name.ends_with("file_name") && !name.ends_with("file_names")) continue;
    if (picture) member.fail(fmt::format("{} names another file, which would not be turned", name));
    picture = member;
    if (member.kind() != JsonKind::array) continue;
    if (member.size() != 1)
      member.fail(
          fmt::format("{} has {} names, expected the name of one picture", name, member.size()));
    picture = *member.begin();
  }
  return picture ? *picture : line.member("file_name");
}

void turn_box(ElementTurn& turn, BoxOrder order, const JsonValue& box,
              const std::optional<JsonValue>& category) {
  std::vector<JsonValue> sides;
  for (const JsonValue side : box.expect(JsonKind::array)) {
    (void)side.number();
    sides.push_back(side);
  }
  const bool are_corners = order == BoxOrder::voc;
  if (sides.size() != 4)
    box.fail(fmt::format("a box has {} numbers, expected {}", sides.size(),
                         are_corners ? "x1, y1, x2 and y2" : "x, y, width and height"));
  const LabelPoint first = {sides[0].number(), sides[1].number()},
                   second = {sides[2].number(), sides[3].number()};
  const ShapePoint corner = drawn(first);
  ShapePoint other = drawn(second);
  if (are_corners && (other.x < corner.x || other.y < corner.y))
    box.fail("x2 or y2 of a box is less than x1 or y1, expected two corners");
  if (!are_corners) other = {corner.x + other.x, corner.y + other.y};
  turn.add({.kind = ShapeKind::box,
            .category = !category                              ? ""
                        : category->kind() == JsonKind::string ? category->string()
                                                               : std::string(category->text()),
            .points = {corner, other}},
           box.text());
  const auto put = [&](const LabelPoint& before, const LabelPoint& after) {
    turn.put(before, sides[0].text(), sides[1].text());
    turn.put(after, sides[2].text(), sides[3].text());
  };
  if (are_corners) {
    const LabelCorners now = turned(LabelCorners{first, second}, turn.pixels());
    put(now.first, now.last);
  } else {
    const LabelBox now = turned_box(LabelBox{first, second}, turn.pixels());
    put(now.corner, now.extent);
  }
}

void turn_all_boxes(ElementTurn& turn, BoxOrder order, const JsonValue& boxes,
                    const std::optional<JsonValue>& category) {
  if (boxes.kind() == JsonKind::null || boxes.size() == 0) return;
  if ((*boxes.expect(JsonKind::array).begin()).kind() == JsonKind::number)
    return turn_box(turn, order, boxes, category);
  const bool are_categories = category && category->kind() == JsonKind::array;
  std::optional<JsonValue::Iterator> at;
  if (are_categories) at = category->begin();
  for (const JsonValue box : boxes) {
    const bool has_category = are_categories && *at != category->end();
    const auto own = has_category ? std::optional(**at) : std::nullopt;
    if (has_category) ++*at;
    turn.attempt([&] { turn_box(turn, order, box, own); });
  }
}

/// How many boxes an object has.
std::size_t boxes_in(const JsonValue& object) {
  for (const JsonValue member : object)
    if (is_box(member) && member.size() > 0)
      return (*member.begin()).kind() == JsonKind::number ? 1 : member.size();
  return 0;
}

/// One object with a box, or lists with an element for each of several.
void turn_object(ElementTurn& turn, BoxOrder order, const JsonValue& object) {
  const std::optional<JsonValue> category = category_in(object);
  const std::size_t objects = boxes_in(object);
  UnknownMembers unknown;
  for (const JsonValue member : object) {
    turn.attempt([&] {
      if (is_category(member))
        replace_class(turn.edits, member, turn.swap, turn.orientation());
      else
        is_box(member) ? turn_all_boxes(turn, order, member, category)
                       : unknown.add(member, objects);
    });
  }
}

void turn_objects(ElementTurn& turn, BoxOrder order, const JsonValue& objects) {
  if (objects.kind() == JsonKind::array) {
    for (const JsonValue each : objects)
      turn.attempt([&] { turn_object(turn, order, each.expect(JsonKind::object)); });
  } else if (objects.kind() != JsonKind::null) {
    turn_object(turn, order, objects.expect(JsonKind::object));
  }
}

template <BoxOrder order>
class HuggingFaceLine : public LabelElement {
 public:
  HuggingFaceLine(std::string_view text, TextPlace place) : json_(text, place) {
    file_name_ = picture_in(json_.root().expect(JsonKind::object)).string();
    const auto width = json_.root().find("width"), height = json_.root().find("height");
    if (width && height) size_ = {side_of(*width), side_of(*height)};
  }

  void turn(ElementTurn& turn) const override {
    UnknownMembers unknown;
    for (const JsonValue member : json_.root())
      turn.attempt([&] { turn_member(turn, member, unknown); });
  }

 private:
  void turn_member(ElementTurn& turn, const JsonValue& member, UnknownMembers& unknown) const {
    const std::string name = member.name();
    if (is_category(member)) replace_class(turn.edits, member, turn.swap, turn.orientation());
    if (const JsonValue picture = picture_in(json_.root());
        picture.text().data() >= member.text().data() &&
        picture.text().data() < member.text().data() + member.text().size()) {
      replace_string(turn.edits, picture, renamed(file_name_, turn.variant.name));
    } else if (name.ends_with("file_name") || name.ends_with("file_names")) {
      if (member.kind() != JsonKind::null)
        member.fail(fmt::format("{} names another file, which would not be turned", name));
    } else if (size_ && (name == "width" || name == "height")) {
      const std::string_view other = name == "width" ? "height" : "width";
      if (swaps_axes(turn.orientation()))
        turn.edits.replace(member.text(), std::string(json_.root().member(other).text()));
    } else if (holds_boxes(name)) {
      turn_boxes(turn, order, name, member, category_in(json_.root()));
    } else {
      unknown.add(member, boxes_in(json_.root()));
    }
  }

  JsonText json_;
};

template <BoxOrder order>
constexpr ElementFormat in_order(std::string_view note) {
  return {.in = ElementFormat::In::lines,
          .array = "",
          .outermost = "",
          .is_of =
              [](std::string_view head) {
                return has_all(head, {"file_name", "\"bbox"});
              },
          .read = read_element<HuggingFaceLine<order>>,
          .note = note,
          .are_pixel_boxes = true};
}

}  // namespace

bool holds_boxes(std::string_view name) {
  return name == "objects" || std::ranges::find(box_names, name) != std::end(box_names);
}

void turn_boxes(ElementTurn& turn, BoxOrder order, std::string_view name, const JsonValue& member,
                const std::optional<JsonValue>& category) {
  name == "objects" ? turn_objects(turn, order, member)
                    : turn_all_boxes(turn, order, member, category);
}

void PixelBoxes::add(LabelledImages::Image& image, const LabelShape& box) {
  constexpr double longest = 1e9, no_fraction = 2;  // the sum of two
  const auto is_fraction = [](const ShapePoint& point) {
    return std::floor(point.x) != point.x || std::floor(point.y) != point.y;
  };
  const ShapePoint &corner = box.points[0], &end = box.points[1];
  constexpr double rounding = 1e-6;
  may_be_corners_ &=
      end.x - corner.x > corner.x - rounding && end.y - corner.y > corner.y - rounding;
  are_pixels_ |= end.x > no_fraction || end.y > no_fraction;
  if (!first_fraction_ && std::ranges::any_of(box.points, is_fraction)) first_fraction_ = box.place;
  const auto whole = [&](double end) {
    return static_cast<std::int64_t>(std::floor(std::clamp(end, 0.0, longest)));
  };
  const Size before = image.boxes_reach.value_or(Size());
  image.boxes_reach = {std::max(before.width, whole(end.x)), std::max(before.height, whole(end.y))};
}

void PixelBoxes::finish() const {
  if (first_fraction_ && !are_pixels_)
    throw LabelError(*first_fraction_, "boxes are fractions of the picture, expected pixels");
}

const ElementFormat hugging_face =
                        in_order<BoxOrder::coco>("boxes from x, y, width, height, in pixels"),
                    hugging_face_voc =
                        in_order<BoxOrder::voc>("boxes from x1, y1, x2, y2, in pixels");

}  // namespace qturn
