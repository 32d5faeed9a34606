#include "src/formats/tiff/placed_metadata.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/codec/frame_place.hpp"
#include "src/formats/tiff/metamorph.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::tiff {
namespace {

// On a map.

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

/// Whether turn_coordinates() turns all that a page says by GeoTIFF, if anything: not a scale with
/// several tie points, a negative scale, the matrix of Intergraph, and what is damaged.
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

/// The same of rational polynomials.
bool turns_polynomials(const TiffDirectory& page) {
  return !page.find(tiff_tag::polynomials) ||
         doubles_of(page, tiff_tag::polynomials).size() == in_polynomials;
}

/// Turns the coordinates of a page that had this size. What is not turned stays as it is.
void turn_coordinates(TiffDirectory& page, Size before, Orientation applied) {
  if (applied == Orientation::identity) return;
  if (turns_map_coordinates(page)) turn_map(page, Turn(applied, before, pixels_are_points(page)));
  if (page.find(tiff_tag::polynomials) && turns_polynomials(page))
    turn_polynomials(page, Turn(applied, before, true));
}

// On a canvas, as programs for panoramas write it: XPosition and YPosition in units of the
// resolution, and the canvas' size in the fields 33300 and 33301.

constexpr std::uint16_t x_position = 286, y_position = 287, canvas_width = 33300,
                        canvas_height = 33301;

struct Rational {
  std::uint64_t over = 0, under = 1;
};

std::optional<Rational> rational_of(const TiffDirectory& page, std::uint16_t tag) {
  const TiffField* field = page.find(tag);
  if (!field || field->type != tiff_type::rational || field->value.size() != 8) return std::nullopt;
  const Rational value{little_endian(field->value, 0, 4), little_endian(field->value, 4, 4)};
  return value.under == 0 ? std::nullopt : std::optional(value);
}

// Pixels between the edges of the canvas and the page. Nothing if that is no whole number.
std::optional<std::int64_t> pixels_of(Rational position, Rational resolution) {
  // All four have 32 bits, and their products 64.
  const std::uint64_t over = position.over * resolution.over;
  const std::uint64_t under = position.under * resolution.under;
  if (over % under != 0) return std::nullopt;
  return static_cast<std::int64_t>(over / under);
}

// The position as a field: pixels over the resolution.
std::optional<TiffField> position_field(std::uint16_t tag, std::int64_t pixels,
                                        Rational resolution) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const auto count = static_cast<std::uint64_t>(pixels);
  if (count > most / resolution.under) return std::nullopt;
  const std::array numbers = {count * resolution.under, resolution.over};
  TiffField field = tiff_integers(tag, tiff_type::u32, numbers);
  field.type = tiff_type::rational;
  field.count = 1;
  return field;
}

struct PagePlace {
  FramePlace place;
  Size canvas;
  Rational resolution;
};

bool says_place(const TiffDirectory& page) {
  return page.find(x_position) || page.find(y_position) || page.find(canvas_width) ||
         page.find(canvas_height);
}

std::optional<PagePlace> place_of(const TiffDirectory& page, Size size) {
  const auto x_resolution = rational_of(page, tiff_tag::x_resolution),
             y_resolution = rational_of(page, tiff_tag::y_resolution);
  const auto x = rational_of(page, x_position), y = rational_of(page, y_position);
  if (!x_resolution || !y_resolution || !x || !y || x_resolution->over == 0) return std::nullopt;
  // Before the resolutions of the axes are exchanged or after it.
  if (x_resolution->over != y_resolution->over || x_resolution->under != y_resolution->under)
    return std::nullopt;
  const auto left = pixels_of(*x, *x_resolution), top = pixels_of(*y, *y_resolution);
  if (!left || !top) return std::nullopt;
  const PagePlace found{.place = {*left, *top, size.width, size.height},
                        .canvas = {static_cast<std::int64_t>(page.integer(canvas_width, 0)),
                                   static_cast<std::int64_t>(page.integer(canvas_height, 0))},
                        .resolution = *x_resolution};
  const bool can_be_written = position_field(x_position, found.canvas.width, found.resolution) &&
                              position_field(y_position, found.canvas.height, found.resolution);
  return found.place.is_within(found.canvas) && can_be_written ? std::optional(found)
                                                               : std::nullopt;
}

Size size_of(const TiffDirectory& page) {
  return {static_cast<std::int64_t>(page.integer(tiff_tag::width, 0)),
          static_cast<std::int64_t>(page.integer(tiff_tag::height, 0))};
}

/// Whether turn_page_place() turns all that a page says of its place, if anything. It does not
/// without the canvas' size, with another resolution in each axis, or between two pixels.
bool turns_page_place(const TiffDirectory& page) {
  return !says_place(page) || place_of(page, size_of(page)).has_value();
}

/// Turns the place of a page that had this size. What is not turned stays as it is.
void turn_page_place(TiffDirectory& page, Size before, Orientation applied) {
  const auto found = place_of(page, before);
  if (!found) return;
  const FramePlace now = turned(found->place, applied, found->canvas);
  for (TiffField& field : page.fields) {
    if (field.tag == x_position) {
      field = *position_field(x_position, now.x, found->resolution);
    } else if (field.tag == y_position) {
      field = *position_field(y_position, now.y, found->resolution);
    } else if (swaps_axes(applied) && field.tag == canvas_width) {
      field.tag = canvas_height;
    } else if (swaps_axes(applied) && field.tag == canvas_height) {
      field.tag = canvas_width;
    }
  }
}

// In OME-XML, which microscopes write into the description of a page.

// With or without a prefix of its namespace.
constexpr std::string_view ome_space = "openmicroscopy.org/Schemas/OME";

// Nothing if it is damaged.
std::optional<std::vector<XmlNode>> nodes_of(std::string_view description) {
  try {
    return xml_nodes(description.substr(0, description.find('\0')));
  } catch (const ImageFileError&) {
    return std::nullopt;
  }
}

bool is_size(const std::vector<XmlNode>& nodes, const XmlNode& node) {
  constexpr std::array<std::string_view, 6> names = {"SizeX", "PhysicalSizeX", "PhysicalSizeXUnit",
                                                     "SizeY", "PhysicalSizeY", "PhysicalSizeYUnit"};
  return node.is_attribute && node.parent >= 0 &&
         nodes[static_cast<std::size_t>(node.parent)].name == "Pixels" &&
         std::ranges::find(names, node.name) != names.end();
}

/// Exchanges the numbers of pixels of both axes, and their physical sizes, where they lie. If it is
/// damaged it stays as it was.
void exchange_axes_in_ome(std::span<std::byte> description) {
  const std::string_view text = text_of(description);
  if (text.find(ome_space) == text.npos) return;
  const auto nodes = nodes_of(text);
  if (!nodes) return;
  for (const XmlNode& node : *nodes) {
    if (!is_size(*nodes, node)) continue;
    // The names change places, not the values: one may be missing.
    const std::size_t letter = node.name.find_last_of("XY");
    const auto at = static_cast<std::size_t>(node.name.data() - text.data()) + letter;
    description[at] = static_cast<std::byte>(node.name[letter] == 'X' ? 'Y' : 'X');
  }
}

}  // namespace

std::vector<PlacedMetadata> placed_in_ome(std::string_view description) {
  if (description.find(ome_space) == description.npos) return {};
  PlacedMetadata sizes{.name = "its sizes and axes (OME-XML)", .is_converted = true};
  const auto nodes = nodes_of(description);
  const auto any = [&](auto condition) { return std::ranges::any_of(*nodes, condition); };
  if (!nodes || !any([&](const XmlNode& node) { return is_size(*nodes, node); })) return {sizes};
  sizes.needs_axes_swap = sizes.is_turned = true;
  std::vector<PlacedMetadata> placed = {sizes};
  if (any([](const XmlNode& node) {
        return node.name == "PositionX" || node.name == "PositionY" || node.name == "StageLabel";
      }))
    placed.push_back({.name = "its stage positions (OME-XML)", .is_converted = true});
  if (any([](const XmlNode& node) { return node.name == "Union"; }))
    placed.push_back({.name = "its regions (OME-XML)", .is_converted = true});
  return placed;
}

std::vector<PlacedMetadata> placed_metadata(const TiffDirectory& page) {
  constexpr std::uint16_t manifest_tag = 0xCD41;
  std::vector<PlacedMetadata> placed;
  if (!turns_map_coordinates(page)) placed.push_back({.name = "its map coordinates (GeoTIFF)"});
  if (!turns_polynomials(page)) placed.push_back({.name = "its map coordinates (RPC)"});
  if (!turns_page_place(page)) placed.push_back({.name = "its place on a page (XPosition)"});
  if (has_stage_position(page)) placed.push_back({.name = "its stage positions (MetaMorph)"});
  if (page.find(manifest_tag)) placed.push_back(signed_manifest());
  if (const TiffField* field = page.find(tiff_tag::description)) {
    const std::string_view text = text_of(field->value);
    std::ranges::move(placed_in_ome(text), std::back_inserter(placed));
    if (text.starts_with("{\"shape\":")) {
      placed.push_back(
          {.name = "its shape as text (tifffile)", .needs_axes_swap = true, .is_converted = true});
    }
  }
  if (const TiffField* field = page.find(tiff_tag::imagej_metadata)) {
    // Their files begin so.
    if (text_of(field->value).find("Iout") != std::string_view::npos) {
      placed.push_back({.name = "its regions (ImageJ)"});
    }
  }
  return placed;
}

void turn_placed_metadata(TiffDirectory& page, Size before, Orientation applied) {
  turn_coordinates(page, before, applied);
  turn_page_place(page, before, applied);
  if (!swaps_axes(applied)) return;
  for (TiffField& field : page.fields)
    if (field.tag == tiff_tag::description) exchange_axes_in_ome(field.value);
}

}  // namespace qturn::tiff
