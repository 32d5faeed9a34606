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
//
// A brush has a "value": {"format": "rle", "rle": [...]}, the bytes of a bit stream: how many bytes
// it unpacks to (32 bits), their bits - 1 (5), the bits - 1 of four kinds of lengths (4 each), and
// blocks, each whether it repeats one byte (1), the kind of its length (2), its length - 1, and its
// byte or bytes. They are red, green, blue and alpha of each pixel of the picture.
#include <fmt/format.h>
#include <qturn/cpu.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "src/labels/json_picture.hpp"
#include "src/labels/many/label_element.hpp"
#include "src/labels/text/json_text.hpp"
#include "src/labels/text/label_text.hpp"

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

using BrushBytes = std::vector<std::uint8_t>;
constexpr int brush_lengths[] = {3, 4, 8, 16};
constexpr std::int64_t most_brush_pixels = std::int64_t{1} << 26;

/// Nothing if they are not so many.
std::optional<BrushBytes> unpacked_brush(const BrushBytes& code, std::size_t count) {
  std::size_t at = 0;  // bits
  const auto read = [&](int bits) {
    std::uint32_t number = 0;
    for (; bits > 0; --bits, ++at)
      number = number << 1U | (at / 8 < code.size() ? code[at / 8] >> (7 - at % 8) & 1U : 0U);
    return number;
  };
  if (read(32) != count || read(5) != 7) return std::nullopt;
  int lengths[4];
  for (int& bits : lengths) bits = static_cast<int>(read(4)) + 1;
  BrushBytes bytes;
  bytes.reserve(count);
  while (bytes.size() < count) {
    const bool is_repeated = read(1) == 1;
    const int bits = lengths[read(2)];
    const std::size_t length = read(bits) + 1;
    if (at >= 8 * code.size() || length > count - bytes.size()) return std::nullopt;
    const auto next = [&] { return static_cast<std::uint8_t>(read(8)); };
    if (is_repeated)
      bytes.insert(bytes.end(), length, next());
    else
      std::generate_n(std::back_inserter(bytes), length, next);
  }
  if (at > 8 * code.size()) return std::nullopt;
  return bytes;
}

BrushBytes packed_brush(const BrushBytes& bytes) {
  BrushBytes code;
  std::size_t at = 0;  // bits
  const auto write = [&](std::size_t number, int bits) {
    for (; bits > 0; --bits, ++at) {
      if (at % 8 == 0) code.push_back(0);
      code.back() |= static_cast<std::uint8_t>((number >> (bits - 1) & 1U) << (7 - at % 8));
    }
  };
  write(bytes.size(), 32);
  write(7, 5);
  for (const int bits : brush_lengths) write(static_cast<std::size_t>(bits - 1), 4);
  constexpr std::size_t longest = 1 << 16;
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = begin + 1;
    const auto is_like_next = [&](std::size_t i) {
      return i + 1 < bytes.size() && bytes[i] == bytes[i + 1];
    };
    const bool is_repeated = is_like_next(begin);
    const auto goes_on = [&] { return is_repeated ? is_like_next(end - 1) : !is_like_next(end); };
    while (end < bytes.size() && end - begin < longest && goes_on()) ++end;
    std::size_t kind = 0;
    while ((end - begin - 1) >> brush_lengths[kind] > 0) ++kind;
    write(is_repeated ? 1 : 0, 1);
    write(kind, 2);
    write(end - begin - 1, brush_lengths[kind]);
    for (std::size_t i = begin; i < (is_repeated ? begin + 1 : end); ++i) write(bytes[i], 8);
    begin = end;
  }
  return code;
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
    UnknownMembers unknown;
    for (const JsonValue member : root.member("data"))
      if (member.text().data() != image_.text().data()) unknown.add(member);
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

  /// Turns the ids of a task, and of what belongs to it.
  static void turn_ids(ElementTurn& turn, const JsonValue& object) {
    for (const std::string_view name : {"id", "task"}) {
      const auto id = object.find(name);
      if (id && id->kind() == JsonKind::number)
        replace_id(turn.edits, object, name, turn.variant.turn);
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
    for (const std::string_view unknown : {"sequence", "vertices", "imageDataURL"})
      if (const auto found = value->find(unknown))
        found->fail(fmt::format("{} cannot be turned", unknown));
    const auto x = value->find("x"), y = value->find("y");
    if (const auto brush = value->find("rle")) {
      turn_brush(turn, *brush, shape);
    } else if (const auto points = value->find("points")) {
      turn_points(turn, *points, shape);
    } else if (!x || !y) {
      return UnknownMembers().add(*value);
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

  void turn_brush(ElementTurn& turn, const JsonValue& rle, LabelShape& shape) const {
    if (!size_ || size_->width > most_brush_pixels / std::max<std::int64_t>(size_->height, 1))
      rle.fail(
          fmt::format("a brush needs the size of its picture, up to {} pixels", most_brush_pixels));
    BrushBytes code;
    for (const JsonValue byte : rle.expect(JsonKind::array)) {
      const auto number = byte.number().whole();
      if (!number || *number < 0 || *number > 255) byte.fail("is not a byte");
      code.push_back(static_cast<std::uint8_t>(*number));
    }
    const auto [width, height] = *size_;
    auto bytes = unpacked_brush(code, static_cast<std::size_t>(4 * width * height));
    if (!bytes) rle.fail(fmt::format("rle is not a brush of {} x {} pixels", width, height));
    shape.kind = ShapeKind::mask;
    shape.size = *size_;
    if (turn.reads_shapes()) {
      shape.runs = {0};
      for (std::int64_t x = 0; x < width; ++x)
        for (std::int64_t y = 0; y < height; ++y) {
          const bool is_set = (*bytes)[static_cast<std::size_t>(4 * (y * width + x) + 3)] > 0;
          if (is_set == (shape.runs.size() % 2 == 1)) shape.runs.push_back(0);
          ++shape.runs.back();
        }
    } else if (turn.orientation() != Orientation::identity) {
      const Size after = turned_size(turn.orientation(), *size_);
      BrushBytes now(bytes->size());
      transform({bytes->data(), width, height, 4 * width, 4},
                View{now.data(), after.width, after.height, 4 * after.width, 4},
                turn.orientation());
      const bool has_blanks = rle.text().find(", ") != std::string_view::npos;
      turn.edits.replace(
          rle.text(), fmt::format("[{}]", fmt::join(packed_brush(now), has_blanks ? ", " : ",")));
    }
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
    if (!(size_ && size_->width == size_->height)) {
      turn.fail_in_percent([&] {
        rotation->fail(
            "a rotated rectangle of a picture that is not square can only be turned by 180 degrees "
            "or along a diagonal");
      });
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
    .are_normalised = true};

}  // namespace qturn
