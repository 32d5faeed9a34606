// Labels as pixels: painted, turned as any picture, and compared with the turned label painted.
#ifndef QTURN_TESTS_LABELS_PAINTED_HPP
#define QTURN_TESTS_LABELS_PAINTED_HPP

#include <qturn/orientation.hpp>

#include <cstdint>
#include <string>
#include <vector>

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

#endif  // QTURN_TESTS_LABELS_PAINTED_HPP
