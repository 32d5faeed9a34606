// How many pixels a metre has, which each format says in units of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "src/picture/image.hpp"

namespace qturn {

/// The resolution that puts `x` and `y` pixels into a length of so many metres. Nothing if one of
/// the three is not a positive number.
std::optional<Resolution> resolution_in(double x, double y, double metres);

inline constexpr double metres_per_inch = 0.0254, metres_per_centimetre = 0.01;

/// A resolution in pixels per inch. Whole numbers that were rounded to pixels per metre are whole
/// again.
struct PixelsPerInch {
  double x, y;
};
PixelsPerInch pixels_per_inch(const Resolution& resolution);

/// What the first directory of an Exif block, or of a TIFF, says. Nothing if its unit is not a
/// length.
std::optional<Resolution> resolution_of_exif(std::span<const std::byte> tiff);

}  // namespace qturn
