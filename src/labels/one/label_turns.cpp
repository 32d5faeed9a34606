#include "src/labels/one/label_turns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <qturn/pictures.hpp>

namespace qturn {

void JsonLabelTurn::turn_size(const JsonValue& width, const JsonValue& height) {
  const LabelPoint said = {width.number(), height.number()};
  if (content_) {
    content_->said = {said.x.whole().value_or(0), said.y.whole().value_or(0)};
    content_->said_at = edits_.place_of(width.text());
    return;
  }
  const Size& size = turn_.size;
  if (said.x.whole() != size.width || said.y.whole() != size.height) {
    width.fail(fmt::format("says {} x {}, the picture is {} x {}", said.x.text(), said.y.text(),
                           size.width, size.height));
  }
  put(turned_extent(said, edges_), width, height);
}

LabelPoint JsonLabelTurn::point_in(const JsonValue& point) {
  point.expect(JsonKind::array);
  if (point.size() != 2) point.fail(fmt::format("a point has 2 numbers, not {}", point.size()));
  return {(*point.begin()).number(), (*++point.begin()).number()};
}

std::vector<ShapePoint> JsonLabelTurn::turn_points(const JsonValue& points, bool count_pixels) {
  std::vector<ShapePoint> before;
  for (const JsonValue point : points.expect(JsonKind::array)) {
    const LabelPoint read = point_in(point);
    const double to_middle = count_pixels ? 0.5 : 0;
    before.push_back({read.x.value() + to_middle, read.y.value() + to_middle});
    put(turned(read, count_pixels ? pixels_ : edges_), point);
  }
  return before;
}

bool JsonLabelTurn::is_png(const Bytes& bytes) {
  const std::string_view signature = "\x89PNG";
  return bytes.size() >= signature.size() &&
         std::equal(signature.begin(), signature.end(), bytes.begin(),
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

Size JsonLabelTurn::size_of(const Bytes& png, const JsonValue& mask) try {
  const TurnPlan plan = plan_turn(png.data(), png.size(), Orientation::identity);
  if (plan.stored != Orientation::identity) mask.fail("has an orientation tag");
  return plan.source;
} catch (const ImageFileError& error) {
  mask.fail(error.what());
}

JsonLabelTurn::Bytes JsonLabelTurn::turned_png(const Bytes& png, const JsonValue& mask) const try {
  return qturn::turn(png.data(), png.size(), turn_.orientation).bytes;
} catch (const ImageFileError& error) {
  mask.fail(error.what());
}

void JsonLabelTurn::add(LabelShape shape, const JsonValue& of, std::string_view category) {
  if (!content_) return;
  const auto label = of.find(category);
  shape.place = edits_.place_of(of.text());
  if (label && label->kind() == JsonKind::string) shape.category = label->string();
  content_->shapes.push_back(std::move(shape));
}

}  // namespace qturn
