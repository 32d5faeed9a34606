#include "src/metadata/exif_says.hpp"

#include "src/metadata/exif.hpp"
#include "src/metadata/exif_tags.hpp"
#include "src/metadata/jpeg_size.hpp"
#include "src/metadata/tiff_structure.hpp"

namespace qturn {
namespace {

using namespace exif_tag;

class Fields {
 public:
  explicit Fields(const TiffStructure& tiff) : tiff_(tiff) {}

  std::optional<std::uint64_t> integer(const TiffEntries& directory, std::uint16_t tag) const {
    const TiffEntry* entry = directory.find(tag);
    return entry ? tiff_.integer(*entry) : std::nullopt;
  }

  std::optional<Size> size(const TiffEntries& directory, std::uint16_t width_tag,
                           std::uint16_t height_tag) const {
    const auto width = integer(directory, width_tag), height = integer(directory, height_tag);
    if (!width || !height) return std::nullopt;
    return Size{static_cast<std::int64_t>(*width), static_cast<std::int64_t>(*height)};
  }

 private:
  const TiffStructure& tiff_;
};

}  // namespace

ExifSays read_exif(std::span<const std::byte> data) {
  ExifSays says;
  const StoredOrientation stored = stored_orientation(data);
  if (stored.certainty == StoredOrientation::Certainty::present) says.orientation = stored.value;
  const auto tiff = TiffStructure::open(data);
  says.damaged = !tiff;
  if (!tiff || tiff->first_directory() == 0) return says;

  const Fields fields(*tiff);
  const TiffEntries first = tiff->directory(tiff->first_directory());
  says.damaged = !first.whole;
  says.image = fields.size(first, image_width, image_height);
  if (const auto at = fields.integer(first, exif_directory)) {
    const TiffEntries exif = tiff->directory(*at);
    says.damaged |= !exif.whole;
    says.pixels = fields.size(exif, pixel_x_dimension, pixel_y_dimension);
  }
  if (!first.whole || first.next == 0 || first.next == first.at) return says;
  const TiffEntries second = tiff->directory(first.next);
  says.damaged |= !second.whole;
  says.thumbnail_orientation = orientation_of_directory(*tiff, second);
  const auto at = fields.integer(second, jpeg_offset), bytes = fields.integer(second, jpeg_bytes);
  if (at && bytes && tiff->holds(*at, *bytes)) {
    says.thumbnail =
        jpeg_size(data.subspan(static_cast<std::size_t>(*at), static_cast<std::size_t>(*bytes)));
    says.damaged |= !says.thumbnail;
  } else {
    says.damaged |= at.has_value() || bytes.has_value();
  }
  return says;
}

}  // namespace qturn
