#include "src/formats/tiff/page_place.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "src/formats/codec/frame_place.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::tiff {
namespace {

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

}  // namespace

bool turns_page_place(const TiffDirectory& page) {
  return !says_place(page) || place_of(page, size_of(page)).has_value();
}

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

}  // namespace qturn::tiff
