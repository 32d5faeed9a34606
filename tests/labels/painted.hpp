// Labels as pixels: painted, turned as any picture, and compared with the turned label painted.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <qturn/orientation.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "src/labels/text/label_text.hpp"

/// A picture of a letter per pixel.
struct Canvas {
  qturn::Size size;
  std::string pixels;

  explicit Canvas(qturn::Size of_size)
      : size(of_size), pixels(static_cast<std::size_t>(of_size.width * of_size.height), '.') {}

  char& at(qturn::Position place) {
    return pixels.at(static_cast<std::size_t>(place.y * size.width + place.x));
  }
  bool operator==(const Canvas&) const = default;
};

inline Canvas turned(Canvas canvas, qturn::Orientation orientation) {
  Canvas result(qturn::turned_size(orientation, canvas.size));
  for (std::int64_t y = 0; y < result.size.height; ++y)
    for (std::int64_t x = 0; x < result.size.width; ++x)
      result.at({x, y}) = canvas.at(qturn::source_of(orientation, {x, y}, canvas.size));
  return result;
}

/// Fills the pixels whose middles lie in a box: the x and y of its middle, its width and height,
/// turned clockwise around that.
inline void paint_rotated(Canvas& canvas, const std::array<double, 4>& box, double radians,
                          char letter) {
  for (std::int64_t y = 0; y < canvas.size.height; ++y) {
    for (std::int64_t x = 0; x < canvas.size.width; ++x) {
      const double right = static_cast<double>(x) + 0.5 - box[0];
      const double down = static_cast<double>(y) + 0.5 - box[1];
      const double across = right * std::cos(radians) + down * std::sin(radians);
      const double along = down * std::cos(radians) - right * std::sin(radians);
      if (2 * std::abs(across) < box[2] && 2 * std::abs(along) < box[3]) canvas.at({x, y}) = letter;
    }
  }
}

/// `turn(text, orientation, size)` turns a label so that what `painted(text, size)` paints turns,
/// and back to the same bytes.
template <typename Turn, typename Painted>
void check_turns(const std::string& label, qturn::Size size, Turn turn, Painted painted) {
  const Canvas before = painted(label, size);
  CHECK(before.pixels.find_first_not_of('.') != std::string::npos);
  for (const qturn::Orientation orientation : qturn::all_orientations) {
    const std::string now = turn(label, orientation, size);
    const qturn::Size of = turned_size(orientation, size);
    CAPTURE(name(orientation), now);
    const Canvas after = painted(now, of);
    CHECK(after.pixels == turned(before, orientation).pixels);
    CHECK(turn(now, inverse(orientation), of) == label);
  }
}

/// The place and the reason of what `work` throws; empty if it throws nothing.
template <typename Work>
std::string thrown_by(Work work) {
  try {
    (void)work();
  } catch (const qturn::LabelError& error) {
    return error.what();
  }
  return "";
}
