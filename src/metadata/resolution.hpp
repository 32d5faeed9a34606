// How many pixels a metre has, which each format says in units of its own.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "src/metadata/exif.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/image.hpp"

namespace qturn {

/// The resolution that puts `x` and `y` pixels into a length of so many metres. Nothing if one of
/// the three is not a positive number.
inline std::optional<Resolution> resolution_in(double x, double y, double metres) {
  constexpr double most = 1e9;  // what all formats can hold, and far more than there is
  if (!(x > 0 && y > 0) || x / metres > most || y / metres > most) return std::nullopt;
  return Resolution{x / metres, y / metres};
}

inline constexpr double metres_per_inch = 0.0254, metres_per_centimetre = 0.01;

/// A resolution in pixels per inch. Whole numbers that were rounded to pixels per metre are whole
/// again.
struct PixelsPerInch {
  double x, y;
};
inline PixelsPerInch pixels_per_inch(const Resolution& resolution) {
  const auto per_inch = [](double per_metre) {
    const double exact = per_metre * metres_per_inch, whole = std::round(exact);
    return std::round(whole / metres_per_inch) == std::round(per_metre) ? whole : exact;
  };
  return {per_inch(resolution.x), per_inch(resolution.y)};
}

/// What the first directory of an Exif block, or of a TIFF, says. Nothing if its unit is not a
/// length.
inline std::optional<Resolution> resolution_of_exif(std::span<const std::byte> block) {
  const auto tiff = TiffStructure::open(block);
  if (!tiff) return std::nullopt;
  const TiffEntries first = tiff->directory(tiff->first_directory());
  const TiffEntry* unit = first.find(exif_tag::resolution_unit);
  constexpr std::uint64_t inch = 2, centimetre = 3;
  const std::uint64_t said = unit ? tiff->integer(*unit).value_or(0) : inch;
  if (said != inch && said != centimetre) return std::nullopt;
  const auto rational = [&](std::uint16_t tag) {
    constexpr std::uint16_t rational_type = 5;
    const TiffEntry* entry = first.find(tag);
    if (!entry || entry->type != rational_type || entry->count != 1 || entry->value_bytes == 0)
      return 0.0;
    const auto over = static_cast<double>(tiff->number(entry->value_at, 4));
    const auto under = static_cast<double>(tiff->number(entry->value_at + 4, 4));
    return under == 0 ? 0 : over / under;
  };
  return resolution_in(rational(exif_tag::x_resolution), rational(exif_tag::y_resolution),
                       said == inch ? metres_per_inch : metres_per_centimetre);
}

}  // namespace qturn
