#include "src/labels/one/labelme.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <qturn/pictures.hpp>

#include "src/labels/geometry.hpp"
#include "src/labels/json_picture.hpp"
#include "src/labels/text/base64.hpp"
#include "src/labels/text/json_text.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

class LabelMeTurn {
 public:
  /// `content`: null, or what receives the shapes as they are before the turn, and problems. Then
  /// the size is not compared.
  LabelMeTurn(std::string_view text, const JsonText& json, const LabelTurn& turn,
              LabelContent* content = nullptr)
      : json_(json),
        edits_(text),
        content_(content),
        turn_(turn),
        points_{turn.orientation, turn.size.width, turn.size.height},
        pixels_{turn.orientation, turn.size.width - 1, turn.size.height - 1} {}

  std::string turn() {
    const JsonValue root = json_.root();
    root.expect(JsonKind::object);
    turn_size(root);
    for (const JsonValue shape : root.member("shapes").expect(JsonKind::array)) {
      try {
        turn_shape(shape.expect(JsonKind::object));
      } catch (const LabelError& error) {
        if (!content_) throw;
        content_->problems.push_back(broken(error));
      }
    }
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
  void turn_size(const JsonValue& root) {
    const auto width = root.find("imageWidth"), height = root.find("imageHeight");
    if (!width || !height ||
        (width->kind() == JsonKind::null && height->kind() == JsonKind::null)) {
      return;
    }
    const LabelPoint said = {width->number(), height->number()};
    if (content_) {
      content_->said = {said.x.whole().value_or(0), said.y.whole().value_or(0)};
      content_->said_at = edits_.place_of(width->text());
      return;
    }
    const Size& size = turn_.size;
    if (said.x.whole() != size.width || said.y.whole() != size.height) {
      width->fail(fmt::format("says {} x {}, the picture is {} x {}", said.x.text(), said.y.text(),
                              size.width, size.height));
    }
    put(turned_extent(said, points_), *width, *height);
  }

  void turn_shape(const JsonValue& shape) {
    const auto written = shape.find("shape_type");
    const bool is_polygon = !written || written->kind() == JsonKind::null;
    const std::string type = is_polygon ? "polygon" : written->string();
    // X-AnyLabeling's angle of a box.
    const auto direction = shape.find("direction");
    if (type != "rotation" && direction && direction->kind() == JsonKind::number &&
        !direction->number().is_zero()) {
      direction->fail("the direction of a shape cannot be turned");
    }
    const JsonValue points = shape.member("points").expect(JsonKind::array);
    if (type == "rectangle" || type == "mask") {
      if (points.size() != 2)
        points.fail(fmt::format("a {} has 2 points, not {}", type, points.size()));
      const JsonValue first = *points.begin(), last = *++points.begin();
      if (type == "mask") return turn_mask(shape, first, last);
      const LabelCorners box = {point_in(first), point_in(last)};
      put(turned(box, points_), first, last);
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
    std::vector<ShapePoint> before;
    for (const JsonValue point : points) {
      const LabelPoint read = point_in(point);
      before.push_back(drawn(read));
      put(turned(read, points_), point);
    }
    add_shape(shape, known->kind, std::move(before));
  }

  static ShapePoint drawn(const LabelPoint& point) { return {point.x.value(), point.y.value()}; }

  void add_shape(const JsonValue& shape, ShapeKind kind, std::vector<ShapePoint> points,
                 Bytes image = {}) {
    if (!content_) return;
    if (kind == ShapeKind::box) {
      const auto [left, right] = std::minmax(points[0].x, points[1].x);
      const auto [top, bottom] = std::minmax(points[0].y, points[1].y);
      points = {{left, top}, {right, bottom}};
    }
    const auto label = shape.find("label");
    content_->shapes.push_back(
        {.kind = kind,
         .place = edits_.place_of(shape.text()),
         .category = label && label->kind() == JsonKind::string ? label->string() : "",
         .points = std::move(points),
         .image = std::move(image)});
  }

  void turn_mask(const JsonValue& shape, const JsonValue& first, const JsonValue& last) {
    const JsonValue mask = shape.member("mask");
    const auto png = bytes_of_base64(mask.string());
    const std::string_view signature = "\x89PNG";
    if (!png || png->size() < signature.size() ||
        !std::equal(signature.begin(), signature.end(), png->begin(),
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; }))
      mask.fail("is not a PNG in base64");
    LabelCorners box = {point_in(first), point_in(last)};
    // The last point names a pixel.
    add_shape(shape, ShapeKind::image_mask,
              {drawn(box.first), {box.last.x.value() + 1, box.last.y.value() + 1}}, *png);
    if (turn_.orientation == Orientation::identity) return;
    try {
      fit_points(box, *png, mask);
      edits_.replace(
          mask.text(),
          '"' + base64(qturn::turn(png->data(), png->size(), turn_.orientation).bytes) + '"');
    } catch (const ImageFileError& error) {
      mask.fail(error.what());
    }
    put(turned(box, pixels_), first, last);
  }

  void fit_points(LabelCorners& box, const Bytes& png, const JsonValue& mask) const {
    const TurnPlan plan = plan_turn(png.data(), png.size(), Orientation::identity);
    if (plan.stored != Orientation::identity) mask.fail("has an orientation tag");
    fit(box.first.x, box.last.x, plan.source.width, turn_.size.width, mask);
    fit(box.first.y, box.last.y, plan.source.height, turn_.size.height, mask);
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

  static LabelPoint point_in(const JsonValue& point) {
    point.expect(JsonKind::array);
    if (point.size() != 2) point.fail(fmt::format("a point has 2 numbers, not {}", point.size()));
    return {(*point.begin()).number(), (*++point.begin()).number()};
  }

  void put(const LabelCorners& box, const JsonValue& first, const JsonValue& last) {
    put(box.first, first);
    put(box.last, last);
  }
  void put(const LabelPoint& point, const JsonValue& at) { put(point, *at.begin(), *++at.begin()); }
  void put(const LabelPoint& point, const JsonValue& x, const JsonValue& y) {
    edits_.replace(x.text(), point.x.text());
    edits_.replace(y.text(), point.y.text());
  }

  void rename(const JsonValue& path) {
    const std::string old = path.string();
    std::string now(turn_.name);
    if (!turn_.comes_beside) now.insert(0, old.substr(0, old.find_last_of("/\\") + 1));
    if (now != old) replace_string(edits_, path, now);
  }

  const JsonText& json_;
  LabelText edits_;
  LabelContent* content_;
  const LabelTurn& turn_;
  CoordinateTurn points_, pixels_;
};

class ParsedLabelMe : public ParsedLabel {
 public:
  explicit ParsedLabelMe(std::string_view text) : text_(text), json_(text) {}
  std::string turned(const LabelTurn& turn) const override {
    return LabelMeTurn(text_, json_, turn).turn();
  }

 private:
  const std::string_view text_;
  const JsonText json_;
};

}  // namespace

bool is_labelme(std::string_view text) {
  return text.find("\"shapes\"") != std::string_view::npos &&
         text.find("\"imagePath\"") != std::string_view::npos;
}

std::unique_ptr<ParsedLabel> parse_labelme(std::string_view text) {
  return std::make_unique<ParsedLabelMe>(text);
}

LabelContent read_labelme(std::string_view text) {
  LabelContent content;
  try {
    const std::optional<Keypoints> none;
    const LabelTurn as_it_is = {.name = "", .keypoints = none};
    LabelMeTurn(text, JsonText(text), as_it_is, &content).turn();
  } catch (const LabelError& error) {
    content.problems.push_back(broken(error));
  }
  return content;
}

}  // namespace qturn
