// Supervisely labels: a JSON file for each picture, called after its whole name: a.jpg.json.
//
//   {"size": {"height": 5, "width": 7}, "objects": [
//     {"geometryType": "polygon", "points": {"exterior": [[x, y], ...], "interior": [[...]]}},
//     {"geometryType": "bitmap", "bitmap": {"data": "...", "origin": [x, y]}}]}
//
// Coordinates are the numbers of pixels, from 0. A rectangle goes from its first pixel to its last
// one, which is in it: in supervisely/geometry/rectangle.py, width = right - left + 1. A fraction
// is not one of the SDK's files but of the labelling tool, which counts otherwise, and is refused.
// A bitmap is cut out of the picture at its origin: a PNG, mostly in a zlib stream, in base64.
#include "src/labels/one/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/formats/codec/zlib.hpp"
#include "src/labels/json_picture.hpp"
#include "src/labels/one/label_turns.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/base64.hpp"

namespace qturn {
namespace {

constexpr std::pair<std::string_view, ShapeKind> kinds[] = {
    {"rectangle", ShapeKind::box},     {"polygon", ShapeKind::polygon},
    {"line", ShapeKind::line},         {"point", ShapeKind::points},
    {"bitmap", ShapeKind::image_mask}, {"alpha_mask", ShapeKind::image_mask}};

class SuperviselyTurn : private JsonLabelTurn {
 public:
  SuperviselyTurn(std::string_view text, const LabelTurn& turn, LabelContent* content)
      : JsonLabelTurn(text, turn, content) {}

  std::string turn(const JsonValue& root) {
    const JsonValue size = root.expect(JsonKind::object).member("size");
    turn_size(size.member("width"), size.member("height"));
    for (const JsonValue object : root.member("objects").expect(JsonKind::array))
      attempt([&] { turn_object(object.expect(JsonKind::object)); });
    refuse_others(root, {"size", "objects"});
    return edits_.finish();
  }

 private:
  void refuse_others(const JsonValue& object, std::initializer_list<std::string_view> known) {
    UnknownMembers unknown;
    for (const JsonValue member : object)
      if (std::ranges::count(known, member.name()) == 0) attempt([&] { unknown.add(member); });
  }

  void turn_object(const JsonValue& object) {
    const JsonValue geometry = object.member("geometryType");
    const std::string type = geometry.string();
    const auto* const kind =
        std::ranges::find(kinds, type, &std::pair<std::string_view, ShapeKind>::first);
    if (kind == std::end(kinds))
      geometry.fail(fmt::format("an object of the type '{}' cannot be turned", type));
    refuse_others(object, {"geometryType", "points", type});
    const auto points = object.find("points");  // empty beside a bitmap
    if (kind->second == ShapeKind::image_mask)
      turn_bitmap(object, object.member(type));
    else if (!points)
      object.fail("has no points");
    if (points && points->kind() != JsonKind::null) turn_outline(object, *points, kind->second);
  }

  void turn_outline(const JsonValue& object, const JsonValue& points, ShapeKind kind) {
    const JsonValue exterior = points.member("exterior").expect(JsonKind::array);
    if (kind == ShapeKind::box) return turn_rectangle(object, exterior);
    if (exterior.size() > 0)
      add({.kind = kind, .points = turn_pixels(exterior)}, object, "classTitle");
    const auto interior = points.find("interior");
    if (!interior) return;
    for (const JsonValue hole : interior->expect(JsonKind::array))
      add({.kind = kind, .points = turn_pixels(hole)}, object, "classTitle");
  }

  void turn_rectangle(const JsonValue& object, const JsonValue& corners) {
    if (corners.size() != 2)
      corners.fail(fmt::format("a rectangle has 2 points, not {}", corners.size()));
    const JsonValue first = *corners.begin(), last = *++corners.begin();
    const LabelCorners box = {pixel_in(first), pixel_in(last)};
    const LabelCorners now = turned(box, pixels_);
    put(now.first, first);
    put(now.last, last);
    // They may be any two corners, and both are in it.
    const auto [left, right] = std::minmax({box.first.x.value(), box.last.x.value()});
    const auto [top, bottom] = std::minmax({box.first.y.value(), box.last.y.value()});
    add({.points = {{left, top}, {right + 1, bottom + 1}}}, object, "classTitle");
  }

  std::vector<ShapePoint> turn_pixels(const JsonValue& points) {
    for (const JsonValue point : points.expect(JsonKind::array)) (void)pixel_in(point);
    return turn_points(points, true);
  }

  static LabelPoint pixel_in(const JsonValue& point) {
    LabelPoint read = point_in(point);
    for (const JsonValue number : point)
      if (!number.number().whole())
        number.fail(fmt::format("{} is not the number of a pixel", number.text()));
    return read;
  }

  void turn_bitmap(const JsonValue& object, const JsonValue& bitmap) {
    const JsonValue data = bitmap.member("data"), origin = bitmap.member("origin");
    auto png = bytes_of_base64(data.string());
    bool is_packed = false;
    if (png && !is_png(*png)) {
      constexpr std::size_t largest = std::size_t{64} << 20;
      png = bytes_of_zlib(*png, largest);
      is_packed = true;
    }
    if (!png || !is_png(*png)) data.fail("is not a PNG, or one in a zlib stream, in base64");
    const Size size = size_of(*png, data);
    const LabelPoint first = pixel_in(origin);
    const std::int64_t x = *first.x.whole(), y = *first.y.whole();
    const Size& whole = turn_.size;
    const bool is_inside =
        x >= 0 && y >= 0 && size.width <= whole.width - x && size.height <= whole.height - y;
    if (!content_ && !is_inside) origin.fail("the bitmap lies outside of the picture");
    const ShapePoint corner = drawn(first);
    add({.kind = ShapeKind::image_mask,
         .points = {corner,
                    {corner.x + static_cast<double>(size.width),
                     corner.y + static_cast<double>(size.height)}},
         .image = *png},
        object, "classTitle");
    if (content_ || turn_.orientation == Orientation::identity) return;
    const LabelPoint last = {*Decimal::parse(std::to_string(x + size.width - 1)),
                             *Decimal::parse(std::to_string(y + size.height - 1))};
    put(turned(LabelCorners{first, last}, pixels_).first, origin);
    const Bytes now = turned_png(*png, data);
    edits_.replace(data.text(), '"' + base64(is_packed ? zlib_of(now) : now) + '"');
  }
};

bool is_supervisely(std::string_view text) {
  return has_all(text, {"\"size\"", "\"objects\"", "\"height\"", "\"width\""}) &&
         has_any(text, {"\"geometryType\"", "\"classTitle\"", "\"tags\""});
}

LabelContent read_supervisely(std::string_view text, const std::optional<Keypoints>&) {
  return read_json_label<SuperviselyTurn>(text);
}

}  // namespace

const LabelFormat supervisely_format = {.option = "supervisely",
                                        .name = "Supervisely",
                                        .suffix = ".json",
                                        .pictures = "img",
                                        .labels = "ann",
                                        .is_of = is_supervisely,
                                        .parse = parse_json_label<SuperviselyTurn>,
                                        .read = read_supervisely,
                                        .follows_whole_name = true};

}  // namespace qturn
