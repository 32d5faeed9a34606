#include "src/metadata/resolution.hpp"

#include <cmath>

#include "src/metadata/exif.hpp"
#include "src/metadata/tiff_structure.hpp"

namespace qturn {
namespace {

using namespace exif_tag;
constexpr std::uint16_t rational_type = 5;

double rational(const TiffStructure& tiff, const TiffEntry* entry) {
  if (!entry || entry->type != rational_type || entry->count != 1 || entry->value_bytes == 0) {
    return 0;
  }
  const auto over = static_cast<double>(tiff.number(entry->value_at, 4));
  const auto under = static_cast<double>(tiff.number(entry->value_at + 4, 4));
  return under == 0 ? 0 : over / under;
}

}  // namespace

std::optional<Resolution> resolution_in(double x, double y, double metres) {
  constexpr double most = 1e9;  // what all formats can hold, and far more than there is
  if (!(x > 0 && y > 0) || x / metres > most || y / metres > most) return std::nullopt;
  return Resolution{x / metres, y / metres};
}

PixelsPerInch pixels_per_inch(const Resolution& resolution) {
  const auto per_inch = [](double per_metre) {
    const double exact = per_metre * metres_per_inch, whole = std::round(exact);
    return std::round(whole / metres_per_inch) == std::round(per_metre) ? whole : exact;
  };
  return {per_inch(resolution.x), per_inch(resolution.y)};
}

std::optional<Resolution> resolution_of_exif(std::span<const std::byte> data) {
  const auto tiff = TiffStructure::open(data);
  if (!tiff) return std::nullopt;
  const TiffEntries first = tiff->directory(tiff->first_directory());
  const TiffEntry* unit = first.find(resolution_unit);
  constexpr std::uint64_t inch = 2, centimetre = 3;
  const std::uint64_t said = unit ? tiff->integer(*unit).value_or(0) : inch;
  if (said != inch && said != centimetre) return std::nullopt;
  return resolution_in(rational(*tiff, first.find(x_resolution)),
                       rational(*tiff, first.find(y_resolution)),
                       said == inch ? metres_per_inch : metres_per_centimetre);
}

}  // namespace qturn
