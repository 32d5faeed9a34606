#include "src/labels/many/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/labels/geometry.hpp"
#include "src/labels/text/any_text.hpp"

namespace qturn {
namespace {

const Decimal& zero() {
  static const Decimal number = Decimal::parse("0").value();
  return number;
}

bool is_above(const Decimal& number, std::int64_t limit) {
  return number.mirrored(limit).is_negative();
}

bool is_whole(const Decimal& number) { return number.whole().has_value(); }

bool is_json(std::string_view field) {
  const std::string_view value = csv_value(field);
  return value.starts_with('{') || value.starts_with('[');
}

std::int64_t side_of(const Decimal& number) {
  constexpr std::int64_t longest = std::int64_t{1} << 31;
  const auto side = number.whole();
  return side && *side <= longest ? *side : -1;
}

}  // namespace

CsvRow::CsvRow(const CsvRows::Row& row, const CsvColumns& columns)
    : text_(row.text), place_(row.place), columns_(columns) {
  const LabelText text(text_, place_);
  fields_ = csv_fields(text, text_, columns.separator);
  if (fields_.size() != columns.count) {
    text.fail(text_,
              fmt::format("has {} fields, the first row has {}", fields_.size(), columns.count));
  }
  file_name_ = csv_string(fields_[columns.picture]);
  if (file_name_.empty()) text.fail(fields_[columns.picture], "the row does not name its picture");
}

bool CsvRow::says_else(std::size_t column) const {
  const auto is_of = [&](const auto& pair) {
    return column == pair.first || column == pair.second;
  };
  return column == columns_.picture || column == columns_.boxes || column == columns_.category ||
         std::ranges::count(columns_.coordinates, column) > 0 ||
         std::ranges::any_of(columns_.clicks, is_of) || (columns_.size && is_of(*columns_.size));
}

std::vector<std::string> CsvRow::others() const {
  std::vector<std::string> others;
  for (std::size_t column = 0; column < fields_.size(); ++column) {
    const bool is_name = may_name_file(csv_value(fields_[column]));
    if (is_name && !says_else(column)) others.push_back(csv_string(fields_[column]));
  }
  return others;
}

std::optional<Decimal> CsvRow::number_in(std::size_t column) const {
  const std::string_view value = csv_value(fields_[column]);
  if (value.empty()) return std::nullopt;
  auto number = Decimal::parse(value);
  if (!number) LabelText(text_, place_).fail(value, fmt::format("'{}' is not a number", value));
  return number;
}

void CsvRow::read_shape() {
  const LabelText text(text_, place_);
  for (const std::size_t column : columns_.coordinates)
    if (const auto number = number_in(column)) coordinates_.push_back(*number);
  if (!coordinates_.empty() && coordinates_.size() < columns_.coordinates.size()) {
    const auto empty = std::ranges::find_if(columns_.coordinates,
                                            [&](std::size_t column) { return is_empty(column); });
    text.fail(fields_[*empty], "the field is empty, and other coordinates are not");
  }
  for (const auto& [x, y] : columns_.clicks)
    if (number_in(x).has_value() != number_in(y).has_value())
      text.fail(fields_[x], "one coordinate of the point is empty");
  read_size();
  refuse_unknown();
  if (!columns_.boxes) return;
  const LabelledVariant half_turn = {
      .turn = {.orientation = Orientation::rotate180}, .name = "", .size = size_.value_or(Size())};
  (void)turned_boxes(half_turn, no_classes, &boxes_);
  if (!boxes_.problems.empty())
    throw LabelError(*boxes_.problems.front().place, boxes_.problems.front().why);
}

void CsvRow::refuse_unknown() const {
  std::size_t numbers = 0;
  for (const auto& [column, name] : columns_.unknown) {
    if (says_no_place({AnyNode::word, name, fields_[column], 0})) continue;
    const std::size_t found = numbers_in_text(fields_[column], ".csv");
    numbers += found;
    if (found > 0 && numbers > 1) throw LabelError(place_of(column), why_not_turned(name));
  }
}

/// A value in JSON has the place of its field, in which quotes are written twice.
std::string CsvRow::turned_boxes(const LabelledVariant& variant, const ClassSwap& swap,
                                 LabelContent* content) const {
  std::string json = csv_string(fields_[*columns_.boxes]);
  const TextPlace place = place_of(*columns_.boxes);
  const bool is_text = columns_.names[0] == "objects" && !is_json(json);
  if (json.empty() || (is_text && numbers_in_text(json, "") < 2)) return json;
  ElementTurn turn(json, place, variant, swap, content);
  try {
    turn.attempt([&] {
      turn_boxes(turn, columns_.order, columns_.names[0], JsonText(json, place).root(),
                 std::nullopt);
    });
  } catch (const LabelError& error) {
    throw LabelError(place, error.why());
  }
  if (content) {
    for (LabelShape& shape : content->shapes) shape.place = place;
    for (LabelProblem& problem : content->problems) problem.place = place;
  }
  return turn.edits.finish();
}

void CsvRow::read_size() {
  if (!columns_.size) return;
  const LabelText text(text_, place_);
  const auto [width, height] = *columns_.size;
  if (is_empty(width) && is_empty(height)) return;
  size_ = {side_of(number_in(width).value_or(zero())), side_of(number_in(height).value_or(zero()))};
  for (const auto& [side, column] :
       {std::pair{size_->width, width}, std::pair{size_->height, height}}) {
    if (side <= 0) {
      text.fail(fields_[column], fmt::format("'{}' is not a width or a height of a picture",
                                             csv_value(fields_[column])));
    }
  }
}

std::optional<Size> CsvRow::box_size() const {
  if (columns_.shape != CsvShape::box || !has_shape()) return std::nullopt;
  if (coordinates_[0].is_zero() && coordinates_[1].is_zero()) return std::nullopt;
  const auto width = coordinates_[2].whole(), height = coordinates_[3].whole();
  if (!width || !height) return std::nullopt;
  return Size{*width, *height};
}

CsvUnit CsvRow::unit() const {
  const auto any = [&](auto holds) { return std::ranges::any_of(coordinates_, holds); };
  const auto is_pixel = [](const Decimal& number) {
    // A fraction may go beyond the edge by a little.
    return is_above(number, is_whole(number) ? 1 : 2);
  };
  if (any(is_pixel)) return CsvUnit::pixels;
  if (any([](const Decimal& number) { return is_above(number, 1); })) return CsvUnit::unknown;
  return any([](const Decimal& number) { return !is_whole(number); }) ? CsvUnit::fractions
                                                                      : CsvUnit::unknown;
}

std::vector<LabelShape> CsvRow::shapes(CsvUnit unit) const {
  std::vector<LabelShape> shapes = boxes_.shapes;
  const auto add = [&](ShapeKind kind, std::size_t column, std::vector<ShapePoint> points) {
    shapes.push_back({.kind = kind,
                      .place = place_of(column),
                      .category = category(),
                      .points = std::move(points)});
  };
  if (has_shape()) {
    const auto point = [&](std::size_t at) {
      return ShapePoint{coordinates_[at].value(), coordinates_[at + 1].value()};
    };
    const ShapePoint first = point(0);
    const double middle = unit == CsvUnit::pixels ? 0.5 : 0;  // of the pixel that a point names
    if (columns_.shape == CsvShape::point) {
      add(ShapeKind::points, columns_.coordinates[0], {{first.x + middle, first.y + middle}});
    } else {
      ShapePoint last = point(2);
      if (columns_.shape == CsvShape::box) last = {first.x + last.x, first.y + last.y};
      add(ShapeKind::box, columns_.coordinates[0], {first, last});
    }
  }
  for (const auto& [column_x, column_y] : columns_.clicks) {
    const auto x = number_in(column_x), y = number_in(column_y);
    if (!x || !y || (x->is_negative() && y->is_negative())) continue;
    add(ShapeKind::points, column_x, {{x->value(), y->value()}});
  }
  return shapes;
}

void CsvRow::put(LabelText& edits, std::size_t column, const Decimal& number) const {
  edits.replace(csv_value(fields_[column]), number.text());
}

std::string CsvRow::turned(const LabelledVariant& variant, CsvUnit unit,
                           const ClassSwap& swap) const {
  LabelText edits(text_, place_);
  const Orientation orientation = variant.turn.orientation;
  const bool are_pixels = unit == CsvUnit::pixels;
  const CoordinateTurn sides{orientation, are_pixels ? variant.size.width : 1,
                             are_pixels ? variant.size.height : 1};
  const std::vector<std::size_t>& columns = columns_.coordinates;
  const auto put_points = [&](std::size_t at, const LabelPoint& point) {
    put(edits, columns[at], point.x);
    put(edits, columns[at + 1], point.y);
  };
  if (has_shape()) {
    const auto point = [&](std::size_t at) {
      return LabelPoint{coordinates_[at], coordinates_[at + 1]};
    };
    if (columns_.shape == CsvShape::corners) {
      const LabelCorners box = qturn::turned(LabelCorners{point(0), point(2)}, sides);
      put_points(0, box.first);
      put_points(2, box.last);
    } else if (columns_.shape == CsvShape::box) {
      const LabelBox box = turned_box(LabelBox{point(0), point(2)}, sides);
      put_points(0, box.corner);
      put_points(2, box.extent);
    } else {
      const std::int64_t last = are_pixels ? 1 : 0;  // a point names a pixel
      put_points(0, qturn::turned(point(0), CoordinateTurn{orientation, sides.sum_x - last,
                                                           sides.sum_y - last}));
    }
  }
  for (const auto& [x, y] : columns_.clicks) {
    const auto point_x = number_in(x), point_y = number_in(y);
    // -1, -1 says that there is none.
    if (!point_x || (point_x->is_negative() && point_y->is_negative())) continue;
    const LabelPoint point = qturn::turned(LabelPoint{*point_x, *point_y}, sides);
    put(edits, x, point.x);
    put(edits, y, point.y);
  }
  if (columns_.boxes) {
    replace_csv_value(edits, fields_[*columns_.boxes], turned_boxes(variant, swap, nullptr),
                      columns_.separator);
  }
  if (size_ && swaps_axes(orientation)) {
    const auto [width, height] = *columns_.size;
    edits.replace(csv_value(fields_[width]), std::string(csv_value(fields_[height])));
    edits.replace(csv_value(fields_[height]), std::string(csv_value(fields_[width])));
  }
  if (const auto* other = class_after(swap, category(), orientation))
    replace_csv_value(edits, fields_[*columns_.category], *other, columns_.separator);
  if (!variant.others.empty()) {
    for (std::size_t column = 0; column < fields_.size(); ++column) {
      const auto other = variant.others.find(csv_string(fields_[column]));
      if (other != variant.others.end() && !says_else(column))
        replace_csv_value(edits, fields_[column], other->second, columns_.separator);
    }
  }
  replace_csv_value(edits, fields_[columns_.picture], renamed(file_name_, variant.name),
                    columns_.separator);
  return edits.finish();
}

}  // namespace qturn
