// LabelMe labels: a JSON file for each picture. Coordinates run from 0 to the width and the height;
// pixel 0 lies between 0 and 1.
//
//   {"shapes": [{"shape_type": "polygon", "points": [[x, y], ...], "mask": null}, ...],
//    "imagePath": "a.jpg", "imageData": null, "imageHeight": 5, "imageWidth": 7}
//
// A mask is a PNG as text, and its points are its first and last pixel. imageData is null, or the
// picture's file as text.
//
// Only the numbers of points and the size change, the masks, the last part of imagePath, and an
// imageData, which becomes the turned picture. Every other byte stays.
#include "src/labels/one/label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/labels/json_picture.hpp"
#include "src/labels/one/label_turns.hpp"
#include "src/picture/base64.hpp"

namespace qturn {
namespace {

class LabelMeTurn : private JsonLabelTurn {
 public:
  LabelMeTurn(std::string_view text, const LabelTurn& turn, LabelContent* content)
      : JsonLabelTurn(text, turn, content) {}

  std::string turn(const JsonValue& root) {
    root.expect(JsonKind::object);
    turn_size_in(root);
    for (const JsonValue shape : root.member("shapes").expect(JsonKind::array))
      attempt([&] { turn_shape(shape.expect(JsonKind::object)); });
    rename(root.member("imagePath"));
    const auto data = root.find("imageData");
    if (data && data->kind() != JsonKind::null && turn_.orientation != Orientation::identity) {
      data->expect(JsonKind::string);
      if (turn_.picture.empty()) data->fail("holds a picture, and the turned one is not known");
      edits_.replace(data->text(), '"' + base64(turn_.picture) + '"');
    }
    return edits_.finish();
  }

 private:
  /// LabelMe takes the size from the picture where there is none.
  void turn_size_in(const JsonValue& root) {
    const auto width = root.find("imageWidth"), height = root.find("imageHeight");
    if (!width || !height ||
        (width->kind() == JsonKind::null && height->kind() == JsonKind::null)) {
      return;
    }
    turn_size(*width, *height);
  }

  void turn_shape(const JsonValue& shape) {
    constexpr std::string_view known_members[] = {
        "points", "direction", "mask", "group_id", "line_color", "fill_color", "kie_linking"};
    UnknownMembers unknown;
    for (const JsonValue member : shape)
      if (std::ranges::count(known_members, member.name()) == 0) unknown.add(member);
    if (const auto label = shape.find("label"))
      replace_class(edits_, *label, turn_.rule.swap, turn_.orientation);
    const auto written = shape.find("shape_type");
    const bool is_polygon = !written || written->kind() == JsonKind::null;
    const std::string type = is_polygon ? "polygon" : written->string();
    const JsonValue points = shape.member("points").expect(JsonKind::array);
    const auto direction = shape.find("direction");
    const bool is_rotation = type == "rotation";
    if (direction && direction->kind() == JsonKind::number && !direction->number().is_zero()) {
      if (!is_rotation) direction->fail("the direction of a shape cannot be turned");
      edits_.replace(direction->text(),
                     turned_radians(direction->number(), 2, turn_.orientation).text());
    }
    if (is_rotation || (type == "rectangle" && points.size() == 4))
      return turn_corners(shape, points);
    if (type == "rectangle" || type == "mask") {
      if (points.size() != 2)
        points.fail(fmt::format("a {} has 2 points, not {}", type, points.size()));
      const JsonValue first = *points.begin(), last = *++points.begin();
      if (type == "mask") return turn_mask(shape, first, last);
      const LabelCorners box = {point_in(first), point_in(last)};
      put(turned(box, edges_), first, last);
      // Its first corner may be any of the four.
      return add_shape(shape, ShapeKind::box, {drawn(box.first), drawn(box.last)});
    }
    struct OfPoints {
      std::string_view type;
      ShapeKind kind;
    };
    constexpr OfPoints of_points[] = {{"polygon", ShapeKind::polygon},
                                      {"circle", ShapeKind::circle},
                                      {"line", ShapeKind::line},
                                      {"linestrip", ShapeKind::line},
                                      {"point", ShapeKind::points},
                                      {"points", ShapeKind::points},
                                      {"oriented_rectangle", ShapeKind::polygon}};
    const auto* const known = std::ranges::find(of_points, type, &OfPoints::type);
    if (known == std::end(of_points))
      written->fail(fmt::format("a shape of the type '{}' cannot be turned", type));
    add_shape(shape, known->kind, turn_points(points, false));
  }

  /// X-AnyLabeling's: clockwise from the upper left one, before the box is turned by its direction,
  /// clockwise from 0 to twice pi. They change places, so the direction stays but for the mirror.
  void turn_corners(const JsonValue& shape, const JsonValue& points) {
    constexpr Position corners[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    if (points.size() != std::size(corners))
      points.fail(fmt::format("a rotated box has 4 points, not {}", points.size()));
    std::vector<JsonValue> all;
    for (const JsonValue point : points) all.push_back(point);
    std::vector<ShapePoint> before;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Position source = source_of(turn_.orientation, corners[i], {2, 2});
      const auto from = static_cast<std::size_t>(std::ranges::find(corners, source) - corners);
      put(turned(point_in(all[from]), edges_), all[i]);
      before.push_back(drawn(point_in(all[i])));
    }
    add_shape(shape, ShapeKind::polygon, std::move(before));
  }

  void add_shape(const JsonValue& shape, ShapeKind kind, std::vector<ShapePoint> points,
                 Bytes image = {}) {
    if (kind == ShapeKind::box) {
      const auto [left, right] = std::minmax(points[0].x, points[1].x);
      const auto [top, bottom] = std::minmax(points[0].y, points[1].y);
      points = {{left, top}, {right, bottom}};
    }
    add({.kind = kind, .points = std::move(points), .image = std::move(image)}, shape, "label");
  }

  void turn_mask(const JsonValue& shape, const JsonValue& first, const JsonValue& last) {
    const JsonValue mask = shape.member("mask");
    const auto png = bytes_of_base64(mask.string());
    if (!png || !is_png(*png)) mask.fail("is not a PNG in base64");
    LabelCorners box = {point_in(first), point_in(last)};
    // The last point names a pixel.
    add_shape(shape, ShapeKind::image_mask,
              {drawn(box.first), {box.last.x.value() + 1, box.last.y.value() + 1}}, *png);
    if (turn_.orientation == Orientation::identity) return;
    const Size size = size_of(*png, mask);
    fit(box.first.x, box.last.x, size.width, turn_.size.width, mask);
    fit(box.first.y, box.last.y, size.height, turn_.size.height, mask);
    edits_.replace(mask.text(), '"' + base64(turned_png(*png, mask)) + '"');
    put(turned(box, pixels_), first, last);
  }

  /// LabelMe used to store a last point one too far, and cut such a mask at the edge of the
  /// picture.
  static void fit(const Decimal& first, Decimal& last, std::int64_t length, std::int64_t whole,
                  const JsonValue& mask) {
    const auto begin = first.whole(), end = last.whole();
    if (!begin || !end) mask.fail("lies between points that are not whole numbers");
    if (*begin < 0 || *end < *begin || *end > whole) mask.fail("lies outside of the picture");
    const bool is_cut = *end == whole && length == whole - *begin;
    if (is_cut) last = *Decimal::parse(std::to_string(whole - 1));
    if (!is_cut && length != *end - *begin + 1) {
      mask.fail(
          fmt::format("is {} wide or high, and {} between its points", length, *end - *begin + 1));
    }
  }

  using JsonLabelTurn::put;
  void put(const LabelCorners& box, const JsonValue& first, const JsonValue& last) {
    put(box.first, first);
    put(box.last, last);
  }

  void rename(const JsonValue& path) {
    const std::string old = path.string();
    std::string now(turn_.name);
    if (!turn_.comes_beside) now.insert(0, old.substr(0, old.find_last_of("/\\") + 1));
    if (now != old) replace_string(edits_, path, now);
  }
};

bool is_labelme(std::string_view text) {
  return text.find("\"shapes\"") != std::string_view::npos &&
         text.find("\"imagePath\"") != std::string_view::npos;
}

LabelContent read_labelme(std::string_view text, const std::optional<Keypoints>&) {
  return read_json_label<LabelMeTurn>(text);
}

}  // namespace

const LabelFormat labelme_format = {.option = "labelme",
                                    .name = "LabelMe",
                                    .suffix = ".json",
                                    .pictures = "",
                                    .labels = "",
                                    .is_of = is_labelme,
                                    .parse = parse_json_label<LabelMeTurn>,
                                    .read = read_labelme};

}  // namespace qturn
