// Labels as pixels: painted, turned as any picture, and compared with the turned label painted.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
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

/// A grey picture: '1' is 1, and the rest 0.
inline std::vector<std::byte> png_of(qturn::Size size, const std::string& bits) {
  std::string file =
      "P5 " + std::to_string(size.width) + " " + std::to_string(size.height) + " 255\n";
  for (const char bit : bits) file += bit == '1' ? '\1' : '\0';
  return qturn::turn(file.data(), file.size(), qturn::Orientation::identity, {.format = "png"})
      .bytes;
}

/// Paints where such a picture is not 0, and says how large it is.
inline qturn::Size paint_png(Canvas& canvas, std::span<const std::byte> png, qturn::Position corner,
                             char letter) {
  using qturn::Orientation;
  const auto size = qturn::plan_turn(png.data(), png.size(), Orientation::identity).source;
  const auto pgm = qturn::turn(png.data(), png.size(), Orientation::identity, {.format = "pnm"});
  const auto* pixel = pgm.bytes.data() + pgm.bytes.size() - size.width * size.height;
  for (std::int64_t y = 0; y < size.height; ++y)
    for (std::int64_t x = 0; x < size.width; ++x, ++pixel)
      if (*pixel != std::byte{0}) canvas.at({corner.x + x, corner.y + y}) = letter;
  return size;
}

/// `there(label, orientation, size)` turns a label, and `back` turns that to the same bytes again.
/// One that gets another name in between is never the same.
template <typename There, typename Back>
void check_restored(const std::string& label, qturn::Size size, There there, Back back,
                    bool is_renamed = false) {
  for (const qturn::Orientation orientation : qturn::all_orientations) {
    const std::string now = there(label, orientation, size);
    CAPTURE(label, name(orientation), now);
    if (is_renamed) CHECK(now != label);
    CHECK(back(now, inverse(orientation), turned_size(orientation, size)) == label);
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
  }
  check_restored(label, size, turn, turn);
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
