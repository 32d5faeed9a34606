#include "src/formats/tiff/map_coordinates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn::tiff {
namespace {

using Doubles = std::vector<double>;

constexpr std::size_t in_scale = 3, in_tie_point = 6, in_matrix = 16, in_polynomials = 92;

// Empty if there are none, or if one of them is not a number.
Doubles doubles_of(const TiffDirectory& page, std::uint16_t tag) {
  const TiffField* field = page.find(tag);
  if (!field || field->type != tiff_type::f64) return {};
  Doubles numbers;
  for (std::size_t at = 0; at + 8 <= field->value.size(); at += 8)
    numbers.push_back(std::bit_cast<double>(little_endian(field->value, at, 8)));
  const auto is_number = [](double number) { return std::isfinite(number); };
  return std::ranges::all_of(numbers, is_number) ? numbers : Doubles();
}

void put(TiffDirectory& page, std::uint16_t tag, const Doubles& numbers) {
  TiffField field{.tag = tag, .type = tiff_type::f64, .count = numbers.size(), .value = {}};
  field.value.resize(8 * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    put_little_endian(field.value, 8 * i, 8, std::bit_cast<std::uint64_t>(numbers[i]));
  std::erase_if(page.fields, [&](const TiffField& each) { return each.tag == tag; });
  page.fields.push_back(std::move(field));
}

struct MapCoordinates {
  Doubles scale, tie_points, matrix;

  explicit MapCoordinates(const TiffDirectory& page)
      : scale(doubles_of(page, tiff_tag::pixel_scale)),
        tie_points(doubles_of(page, tiff_tag::tie_points)),
        matrix(doubles_of(page, tiff_tag::model_matrix)) {}
};

bool pixels_are_points(const TiffDirectory& page) {
  constexpr std::uint64_t raster_type = 1025, is_point = 2, of_header = 4, of_key = 4;
  const auto keys = page.integers(tiff_tag::geo_keys);
  for (std::size_t at = of_header; at + of_key <= keys.size(); at += of_key)
    if (keys[at] == raster_type && keys[at + 1] == 0) return keys[at + 3] == is_point;
  return false;
}

// Without a zero that has a sign.
void negate(double& number) { number = 0 - number; }

class Turn {
 public:
  Turn(Orientation applied, Size size, bool of_points)
      : how_(reading(applied)),
        width_(static_cast<double>(size.width - (of_points ? 1 : 0))),
        height_(static_cast<double>(size.height - (of_points ? 1 : 0))) {}

  // The place of a point.
  void move(double& x, double& y) const {
    if (how_.from_right) x = width_ - x;
    if (how_.from_bottom) y = height_ - y;
    if (how_.swap_axes) std::swap(x, y);
  }

  // A row of a matrix: a x + b y + c z + d.
  void turn_row(std::span<double> row) const {
    if (how_.from_right) row[3] = std::fma(row[0], width_, row[3]);
    if (how_.from_bottom) row[3] = std::fma(row[1], height_, row[3]);
    turn_slopes(row);
  }

  void turn_slopes(std::span<double> row) const {
    if (how_.from_right) negate(row[0]);
    if (how_.from_bottom) negate(row[1]);
    if (how_.swap_axes) std::swap(row[0], row[1]);
  }

  const Reading& how() const { return how_; }

 private:
  Reading how_;
  double width_, height_;
};

// With the tie point turned first, its coordinates are whole numbers mostly, and each product is
// rounded once.
Doubles matrix_of(const Doubles& scale, const Doubles& turned_tie_point, const Turn& turn) {
  Doubles matrix = {scale[0], 0, 0, 0, 0, -scale[1], 0, 0, 0, 0, scale[2], 0, 0, 0, 0, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double* row = &matrix[4 * axis];
    turn.turn_slopes(std::span(row, 4));
    row[3] = turned_tie_point[3 + axis];
    for (std::size_t of = 0; of < 3; ++of)
      row[3] = std::fma(-row[of], turned_tie_point[of], row[3]);
  }
  return matrix;
}

void turn_map(TiffDirectory& page, const Turn& turn) {
  MapCoordinates map(page);
  Doubles& points = map.tie_points;
  for (std::size_t i = 0; i < points.size(); i += in_tie_point) turn.move(points[i], points[i + 1]);
  if (!map.scale.empty()) {
    std::erase_if(page.fields, [](const TiffField& field) {
      return field.tag == tiff_tag::pixel_scale || field.tag == tiff_tag::tie_points;
    });
    put(page, tiff_tag::model_matrix, matrix_of(map.scale, points, turn));
    return;
  }
  if (!points.empty()) put(page, tiff_tag::tie_points, points);
  if (map.matrix.empty()) return;
  for (std::size_t i = 0; i < in_matrix; i += 4) turn.turn_row(std::span(&map.matrix[i], 4));
  put(page, tiff_tag::model_matrix, map.matrix);
}

// Line and sample are the quotients of two polynomials each, times a scale, plus an offset. They
// count centres of pixels.
void turn_polynomials(TiffDirectory& page, const Turn& turn) {
  constexpr std::size_t line_offset = 2, sample_offset = 3, line_scale = 7, sample_scale = 8,
                        terms = 20;
  Doubles rpc = doubles_of(page, tiff_tag::polynomials);
  const auto line = rpc.begin() + 12, sample = line + 2 * terms;  // the numerators
  if (turn.how().from_right) std::for_each(sample, sample + terms, negate);
  if (turn.how().from_bottom) std::for_each(line, line + terms, negate);
  turn.move(rpc[sample_offset], rpc[line_offset]);
  if (turn.how().swap_axes) {
    std::swap(rpc[line_scale], rpc[sample_scale]);
    std::swap_ranges(line, sample, sample);
  }
  put(page, tiff_tag::polynomials, rpc);
}

}  // namespace

bool turns_map_coordinates(const TiffDirectory& page) {
  const MapCoordinates map(page);
  const auto is_read = [&](std::uint16_t tag, const Doubles& numbers, std::size_t whole) {
    return !page.find(tag) || (!numbers.empty() && numbers.size() % whole == 0);
  };
  if (page.find(tiff_tag::intergraph_matrix) ||
      !is_read(tiff_tag::pixel_scale, map.scale, in_scale) ||
      !is_read(tiff_tag::tie_points, map.tie_points, in_tie_point) ||
      !is_read(tiff_tag::model_matrix, map.matrix, in_matrix) || map.matrix.size() > in_matrix)
    return false;
  return map.scale.empty() ||
         (map.scale.size() == in_scale && map.scale[0] > 0 && map.scale[1] > 0 &&
          map.tie_points.size() == in_tie_point && map.matrix.empty());
}

bool turns_polynomials(const TiffDirectory& page) {
  return !page.find(tiff_tag::polynomials) ||
         doubles_of(page, tiff_tag::polynomials).size() == in_polynomials;
}

void turn_coordinates(TiffDirectory& page, Size before, Orientation applied) {
  if (applied == Orientation::identity) return;
  if (turns_map_coordinates(page)) turn_map(page, Turn(applied, before, pixels_are_points(page)));
  if (page.find(tiff_tag::polynomials) && turns_polynomials(page))
    turn_polynomials(page, Turn(applied, before, true));
}

}  // namespace qturn::tiff
